// SPDX-License-Identifier: GPL-3.0-or-later
// The coordinate system of a NetCDF file as CF wants it: WKT for programs that know it, and the
// parameters of the projection by name (CF Conventions 1.11, appendix F) for those that do not.
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/geo/crs_private.h"
#include "core/geo/netcdf_file.h"
#include "core/geometry/angle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// One parameter of one projection method, both by EPSG code, and its name in CF.
typedef struct {
    int method;
    int parameter;
    const char *attribute;
} cf_parameter;

typedef struct {
    int method;
    const char *name;
} cf_method;

// Methods whose CF form has exactly the parameters of the EPSG one. For others the WKT must do.
static const cf_method cf_methods[] = {
    {9807, "transverse_mercator"},
    {9802, "lambert_conformal_conic"},
    {9820, "lambert_azimuthal_equal_area"},
    {9822, "albers_conical_equal_area"},
    {9815, "oblique_mercator"},
    {9804, "mercator"},
    {9805, "mercator"},
};

// Rows with the same attribute are the elements of one list.
static const cf_parameter cf_parameters[] = {
    {9807, 8801, "latitude_of_projection_origin"},
    {9807, 8802, "longitude_of_central_meridian"},
    {9807, 8805, "scale_factor_at_central_meridian"},
    {9807, 8806, "false_easting"},
    {9807, 8807, "false_northing"},
    {9802, 8823, "standard_parallel"},
    {9802, 8824, "standard_parallel"},
    {9802, 8821, "latitude_of_projection_origin"},
    {9802, 8822, "longitude_of_central_meridian"},
    {9802, 8826, "false_easting"},
    {9802, 8827, "false_northing"},
    {9820, 8801, "latitude_of_projection_origin"},
    {9820, 8802, "longitude_of_projection_origin"},
    {9820, 8806, "false_easting"},
    {9820, 8807, "false_northing"},
    {9822, 8823, "standard_parallel"},
    {9822, 8824, "standard_parallel"},
    {9822, 8821, "latitude_of_projection_origin"},
    {9822, 8822, "longitude_of_central_meridian"},
    {9822, 8826, "false_easting"},
    {9822, 8827, "false_northing"},
    {9815, 8813, "azimuth_of_central_line"},
    {9815, 8811, "latitude_of_projection_origin"},
    {9815, 8812, "longitude_of_projection_origin"},
    {9815, 8815, "scale_factor_at_projection_origin"},
    {9815, 8816, "false_easting"},
    {9815, 8817, "false_northing"},
    {9804, 8802, "longitude_of_projection_origin"},
    {9804, 8805, "scale_factor_at_projection_origin"},
    {9804, 8806, "false_easting"},
    {9804, 8807, "false_northing"},
    {9805, 8823, "standard_parallel"},
    {9805, 8802, "longitude_of_projection_origin"},
    {9805, 8806, "false_easting"},
    {9805, 8807, "false_northing"},
};

static int to_code(const char *text) {
    int64_t code = 0;
    return text != NULL && tal_text_to_integer(text, &code) && code > 0 && code < 100000 ? (int)code
                                                                                         : 0;
}

// Value of an EPSG parameter in degrees, metres or as a plain number; false when there is none.
static bool find_parameter(PJ_CONTEXT *context, const PJ *conversion, int code, double *value) {
    const int count = proj_coordoperation_get_param_count(context, conversion);
    for (int i = 0; i < count; i++) {
        const char *text = NULL;
        const char *unit = NULL;
        const char *category = NULL;
        double number = 0.0;
        double factor = 1.0;
        if (proj_coordoperation_get_param(context, conversion, i, NULL, NULL, &text, &number, NULL,
                                          &factor, &unit, NULL, NULL, &category) == 0 ||
            to_code(text) != code) {
            continue;
        }
        const bool angle = category != NULL && strcmp(category, "angular") == 0;
        const bool degree = angle && unit != NULL && strcmp(unit, "degree") == 0;
        *value = degree  ? number // not through radians and back: 13.5 stays 13.5
                 : angle ? tal_degrees(number * factor)
                         : number * factor;
        return true;
    }
    return false;
}

static const char *find_method(PJ_CONTEXT *context, const PJ *conversion, int *code) {
    const char *text = NULL;
    if (proj_coordoperation_get_method_info(context, conversion, NULL, NULL, &text) == 0) {
        return NULL;
    }
    *code = to_code(text);
    for (size_t i = 0; i < sizeof cf_methods / sizeof cf_methods[0]; i++) {
        if (cf_methods[i].method == *code) {
            return cf_methods[i].name;
        }
    }
    return NULL;
}

static void put_projection(tal_netcdf *file, int variable, const tal_crs *crs) {
    PJ *conversion = proj_crs_get_coordoperation(crs->context, crs->horizontal);
    int code = 0;
    const char *method = conversion != NULL ? find_method(crs->context, conversion, &code) : NULL;
    tal_netcdf_text(file, variable, "grid_mapping_name", method);
    double values[2] = {0.0, 0.0};
    size_t count = 0;
    const size_t rows = sizeof cf_parameters / sizeof cf_parameters[0];
    for (size_t i = 0; method != NULL && i < rows; i++) {
        const cf_parameter *row = &cf_parameters[i];
        if (row->method != code ||
            !find_parameter(crs->context, conversion, row->parameter, &values[count])) {
            continue;
        }
        count++;
        if (i + 1 == rows || strcmp(row->attribute, row[1].attribute) != 0) {
            tal_netcdf_reals(file, variable, row->attribute, values, count);
            count = 0;
        }
    }
    tal_netcdf_text(file, variable, "projected_crs_name", proj_get_name(crs->horizontal));
    proj_destroy(conversion);
}

static void put_ellipsoid(tal_netcdf *file, int variable, const tal_crs *crs) {
    PJ_CONTEXT *context = crs->context;
    PJ *geodetic = proj_crs_get_geodetic_crs(context, crs->horizontal);
    PJ *ellipsoid = geodetic != NULL ? proj_get_ellipsoid(context, geodetic) : NULL;
    PJ *meridian = geodetic != NULL ? proj_get_prime_meridian(context, geodetic) : NULL;
    PJ *datum = geodetic != NULL ? proj_crs_get_datum_forced(context, geodetic) : NULL;
    double major = 0.0;
    double inverse_flattening = 0.0;
    double longitude = 0.0;
    double factor = 0.0;
    if (ellipsoid != NULL && proj_ellipsoid_get_parameters(context, ellipsoid, &major, NULL, NULL,
                                                           &inverse_flattening) != 0) {
        tal_netcdf_real(file, variable, "semi_major_axis", major);
        tal_netcdf_real(file, variable, "inverse_flattening", inverse_flattening);
        tal_netcdf_text(file, variable, "reference_ellipsoid_name", proj_get_name(ellipsoid));
    }
    if (meridian != NULL &&
        proj_prime_meridian_get_parameters(context, meridian, &longitude, &factor, NULL) != 0) {
        tal_netcdf_real(file, variable, "longitude_of_prime_meridian",
                        longitude * tal_degrees(factor));
        tal_netcdf_text(file, variable, "prime_meridian_name", proj_get_name(meridian));
    }
    if (datum != NULL) {
        tal_netcdf_text(file, variable, "horizontal_datum_name", proj_get_name(datum));
    }
    if (geodetic != NULL) {
        tal_netcdf_text(file, variable, "geographic_crs_name", proj_get_name(geodetic));
    }
    proj_destroy(datum);
    proj_destroy(meridian);
    proj_destroy(ellipsoid);
    proj_destroy(geodetic);
}

static int define_mapping(tal_netcdf *file, const tal_crs *crs) {
    const int variable =
        tal_netcdf_variable(file, "crs", TAL_NC_INT, 0, NULL, NULL, "coordinate reference system");
    if (crs->info.is_geographic) {
        tal_netcdf_text(file, variable, "grid_mapping_name", "latitude_longitude");
    } else {
        put_projection(file, variable, crs);
    }
    put_ellipsoid(file, variable, crs);
    tal_netcdf_text(file, variable, "crs_wkt", crs->wkt);
    tal_netcdf_text(file, variable, "spatial_ref", crs->wkt); // the name that GDAL gave it
    return variable;
}

void tal_netcdf_grid_mapping(tal_netcdf *file, const tal_crs *crs) {
    if (!crs->info.is_local) {
        tal_netcdf_put_ints(file, define_mapping(file, crs), &(int32_t){0});
    }
}

static void put_axis(tal_netcdf *file, bool is_x, int dimension, double first, double step,
                     int32_t count) {
    const int variable =
        tal_netcdf_variable(file, is_x ? "x" : "y", TAL_NC_DOUBLE, 1, &dimension, "m",
                            is_x ? "easting of cell centres" : "northing of cell centres");
    tal_netcdf_text(file, variable, "standard_name",
                    is_x ? "projection_x_coordinate" : "projection_y_coordinate");
    tal_netcdf_text(file, variable, "axis", is_x ? "X" : "Y");
    double *centres = tal_memory_create((size_t)count, sizeof *centres);
    if (centres == NULL) {
        if (file->failed == TAL_OK) {
            file->failed =
                tal_memory_failed(&file->error, "an axis", (size_t)count, sizeof *centres);
        }
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        centres[i] = first + (i + 0.5) * step;
    }
    tal_netcdf_put_doubles(file, variable, centres);
    tal_memory_destroy(centres);
}

void tal_netcdf_raster_axes(tal_netcdf *file, const tal_grid *grid, const tal_crs *crs,
                            int dimensions[2]) {
    dimensions[0] = tal_netcdf_dimension(file, "y", (size_t)grid->rows);
    dimensions[1] = tal_netcdf_dimension(file, "x", (size_t)grid->columns);
    put_axis(file, false, dimensions[0], grid->north, -grid->cell, grid->rows);
    put_axis(file, true, dimensions[1], grid->west, grid->cell, grid->columns);
    if (crs->info.is_local) {
        return;
    }
    const int mapping = define_mapping(file, crs);
    char transform[160]; // as GDAL writes it; 17 digits keep every double
    snprintf(transform, sizeof transform, "%.17g %.17g 0 %.17g 0 %.17g", grid->west, grid->cell,
             grid->north, -grid->cell);
    tal_netcdf_text(file, mapping, "GeoTransform", transform);
    tal_netcdf_put_ints(file, mapping, &(int32_t){0});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of bytes, encoded by GDAL.
#include "core/geo/pixels.h"

#include "core/base/memory.h"
#include "core/geo/raster_file.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <string.h>

static GDALDatasetH memory_dataset(const tal_pixels *p) {
    GDALDriverH driver = GDALGetDriverByName("MEM");
    GDALDatasetH dataset =
        driver == NULL ? NULL
                       : GDALCreate(driver, "", p->columns, p->rows, p->bands, GDT_Byte, NULL);
    if (dataset == NULL) {
        return NULL;
    }
    const int pixel = p->order == TAL_PIXELS_BY_BAND ? 1 : 4;
    const int band = p->order == TAL_PIXELS_BY_BAND ? p->columns * p->rows : 1;
    if (GDALDatasetRasterIO(dataset, GF_Write, 0, 0, p->columns, p->rows, p->value, p->columns,
                            p->rows, GDT_Byte, p->bands, NULL, pixel, pixel * p->columns,
                            band) != CE_None) {
        GDALClose(dataset);
        return NULL;
    }
    return dataset;
}

// A file of GDAL's, which may be one in memory. No second file beside it.
static bool encode(const tal_pixels *pixels, const char *path, bool as_jpeg) {
    GDALDriverH driver = GDALGetDriverByName(as_jpeg ? "JPEG" : "PNG");
    GDALDatasetH image = driver != NULL ? memory_dataset(pixels) : NULL;
    if (image == NULL) {
        return false;
    }
    char **options = as_jpeg ? CSLSetNameValue(NULL, "QUALITY", "84") : NULL;
    CPLSetThreadLocalConfigOption("GDAL_PAM_ENABLED", "NO");
    GDALDatasetH copy = GDALCreateCopy(driver, path, image, FALSE, options, NULL, NULL);
    if (copy != NULL) {
        GDALClose(copy);
    }
    CPLSetThreadLocalConfigOption("GDAL_PAM_ENABLED", NULL);
    CSLDestroy(options);
    GDALClose(image);
    return copy != NULL;
}

tal_status tal_pixels_write_png(const tal_pixels *pixels, const char *path, tal_overwrite overwrite,
                                tal_error *err) {
    char part[TAL_PATH_SIZE];
    tal_gdal_init();
    TAL_TRY(tal_part_begin(path, overwrite, part, err));
    if (!encode(pixels, part, false)) {
        tal_part_discard(path);
        return TAL_FAIL(err, TAL_IO, "%s: the picture could not be written: %s", path,
                        CPLGetLastErrorMsg());
    }
    return tal_part_commit(path, err);
}

tal_status tal_pixels_encode(const tal_pixels *pixels, bool as_jpeg, uint8_t **bytes, size_t *count,
                             tal_error *err) {
    static const char PATH[] = "/vsimem/talus_picture";
    tal_gdal_init();
    *bytes = NULL;
    if (!encode(pixels, PATH, as_jpeg)) {
        return TAL_FAIL(err, TAL_UNAVAILABLE, "GDAL cannot make a %s picture: %s",
                        as_jpeg ? "JPEG" : "PNG", CPLGetLastErrorMsg());
    }
    vsi_l_offset size = 0;
    const GByte *file = VSIGetMemFileBuffer(PATH, &size, FALSE);
    *count = file != NULL ? (size_t)size : 0;
    *bytes = tal_memory_create(*count + 1, 1);
    if (*bytes != NULL && *count > 0) {
        memcpy(*bytes, file, *count);
    }
    (void)VSIUnlink(PATH);
    return *bytes != NULL ? TAL_OK : tal_memory_failed(err, "a picture", *count + 1, 1);
}

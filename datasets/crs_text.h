// SPDX-License-Identifier: GPL-3.0-or-later
// The coordinate system of the embedded sites, EPSG:5490+5756: RGAF09 / UTM zone 20N with heights
// of Martinique 1987. OGC WKT 1 (OGC 01-009), which LAS 1.4 asks for; parameters from the EPSG
// registry.
#ifndef TALUS_DATASETS_CRS_TEXT_H
#define TALUS_DATASETS_CRS_TEXT_H

#define TAL_DATASET_CRS     "EPSG:5490+5756"
#define TAL_DATASET_CRS_URN "urn:ogc:def:crs:EPSG::5490" // the horizontal part

#define TAL_DATASET_WKT                                                                            \
    "COMPD_CS[\"RGAF09 / UTM zone 20N + Martinique 1987 height\","                                 \
    "PROJCS[\"RGAF09 / UTM zone 20N\","                                                            \
    "GEOGCS[\"RGAF09\","                                                                           \
    "DATUM[\"Reseau_Geodesique_des_Antilles_Francaises_2009\","                                    \
    "SPHEROID[\"GRS 1980\",6378137,298.257222101,AUTHORITY[\"EPSG\",\"7019\"]],"                   \
    "AUTHORITY[\"EPSG\",\"1073\"]],"                                                               \
    "PRIMEM[\"Greenwich\",0,AUTHORITY[\"EPSG\",\"8901\"]],"                                        \
    "UNIT[\"degree\",0.0174532925199433,AUTHORITY[\"EPSG\",\"9122\"]],"                            \
    "AUTHORITY[\"EPSG\",\"5489\"]],"                                                               \
    "PROJECTION[\"Transverse_Mercator\"],"                                                         \
    "PARAMETER[\"latitude_of_origin\",0],"                                                         \
    "PARAMETER[\"central_meridian\",-63],"                                                         \
    "PARAMETER[\"scale_factor\",0.9996],"                                                          \
    "PARAMETER[\"false_easting\",500000],"                                                         \
    "PARAMETER[\"false_northing\",0],"                                                             \
    "UNIT[\"metre\",1,AUTHORITY[\"EPSG\",\"9001\"]],"                                              \
    "AXIS[\"Easting\",EAST],AXIS[\"Northing\",NORTH],"                                             \
    "AUTHORITY[\"EPSG\",\"5490\"]],"                                                               \
    "VERT_CS[\"Martinique 1987 height\","                                                          \
    "VERT_DATUM[\"Martinique 1987\",2005,AUTHORITY[\"EPSG\",\"5154\"]],"                           \
    "UNIT[\"metre\",1,AUTHORITY[\"EPSG\",\"9001\"]],"                                              \
    "AXIS[\"Gravity-related height\",UP],"                                                         \
    "AUTHORITY[\"EPSG\",\"5756\"]]]"

#endif

/*
vramp plugin library, version VERSION
*/
import QtQuick
import org.shotcut.qml

Metadata {
    type: Metadata.Filter
    name: qsTr("vramp depth")
    keywords: qsTr("Changes the bit depth, rounding or with one of four dithers")
    mlt_service: "frei0r.vramp_depth"
    objectName: "vramp_depth"
    qml: "ui.qml"
}

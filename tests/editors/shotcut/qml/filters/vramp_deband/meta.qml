/*
vramp plugin library, version VERSION
*/
import QtQuick
import org.shotcut.qml

Metadata {
    type: Metadata.Filter
    name: qsTr("vramp deband")
    keywords: qsTr("Repairs banded gradients: averages random neighbours where they differ little, and adds a little noise")
    mlt_service: "frei0r.vramp_deband"
    objectName: "vramp_deband"
    qml: "ui.qml"
}

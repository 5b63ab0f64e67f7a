/*
vramp plugin library, version VERSION
*/
import QtQuick
import org.shotcut.qml

Metadata {
    type: Metadata.Filter
    name: qsTr("vramp gauss")
    keywords: qsTr("Blurs with a Gaussian of any width, in integers that keep flat areas flat")
    mlt_service: "frei0r.vramp_gauss"
    objectName: "vramp_gauss"
    qml: "ui.qml"
}

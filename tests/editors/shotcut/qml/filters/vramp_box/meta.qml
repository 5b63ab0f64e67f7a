/*
vramp plugin library, version VERSION
*/
import QtQuick
import org.shotcut.qml

Metadata {
    type: Metadata.Filter
    name: qsTr("vramp box")
    keywords: qsTr("Blurs: every sample becomes the mean of the rectangle around it, at a cost that hardly grows with it")
    mlt_service: "frei0r.vramp_box"
    objectName: "vramp_box"
    qml: "ui.qml"
}

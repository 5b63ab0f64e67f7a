/*
vramp plugin library, version VERSION
*/
import QtQuick
import org.shotcut.qml

Metadata {
    type: Metadata.Filter
    name: qsTr("vramp chain")
    keywords: qsTr("Runs a chain of vramp's filters")
    mlt_service: "frei0r.vramp_chain"
    objectName: "vramp_chain"
    qml: "ui.qml"
}

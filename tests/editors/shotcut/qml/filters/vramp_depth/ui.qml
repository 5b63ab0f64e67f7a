/*
vramp plugin library, version VERSION
*/
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts
import Shotcut.Controls as Shotcut

Item {
    width: 450
    height: 40 + 30 * 3
    Component.onCompleted: {
        if (filter.isNew) {
            filter.set("bits", "auto")
            filter.set("dither", "none")
            filter.set("animate", "0")
            filter.savePreset(preset.parameters)
        }
        setControls()
    }

    function setControls() {
        bitsControl.currentIndex = bitsControl.values.indexOf(filter.get("bits"))
        ditherControl.currentIndex = ditherControl.values.indexOf(filter.get("dither"))
        animateControl.checked = filter.get("animate") === "1"
    }

    GridLayout {
        anchors.fill: parent
        anchors.margins: 8
        columns: 2

        Label { text: qsTr("Preset") }
        Shotcut.Preset {
            id: preset
            parameters: ["bits", "dither", "animate"]
            onPresetSelected: setControls()
        }
        Label { text: qsTr("Depth") }
        Shotcut.ComboBox {
            id: bitsControl; model: ["auto", "8", "9", "10", "11", "12", "13", "14", "15", "16"]
            property var values: ["auto", "8", "9", "10", "11", "12", "13", "14", "15", "16"]
            onActivated: filter.set("bits", values[currentIndex])
        }
        Label { text: qsTr("Dither") }
        Shotcut.ComboBox {
            id: ditherControl; model: ["none", "ordered", "blue", "fs", "tpdf"]
            property var values: ["none", "ordered", "blue", "fs", "tpdf"]
            onActivated: filter.set("dither", values[currentIndex])
        }
        Label { text: qsTr("Moving pattern") }
        CheckBox { id: animateControl; onClicked: filter.set("animate", checked ? 1 : 0) }
        Item { Layout.fillHeight: true }
    }
}

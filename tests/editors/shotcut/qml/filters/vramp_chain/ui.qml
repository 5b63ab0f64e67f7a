/*
vramp plugin library, version VERSION
*/
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts
import Shotcut.Controls as Shotcut

Item {
    width: 450
    height: 40 + 30 * 1
    Component.onCompleted: {
        if (filter.isNew) {
            filter.set("chain", "deband")
            filter.savePreset(preset.parameters)
        }
        setControls()
    }

    function setControls() {
        chainControl.text = filter.get("chain")
    }

    GridLayout {
        anchors.fill: parent
        anchors.margins: 8
        columns: 2

        Label { text: qsTr("Preset") }
        Shotcut.Preset {
            id: preset
            parameters: ["chain"]
            onPresetSelected: setControls()
        }
        Label { text: qsTr("Chain") }
        TextField { id: chainControl; Layout.fillWidth: true; onEditingFinished: filter.set("chain", text) }
        Item { Layout.fillHeight: true }
    }
}

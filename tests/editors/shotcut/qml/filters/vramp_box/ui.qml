/*
vramp plugin library, version VERSION
*/
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts
import Shotcut.Controls as Shotcut

Item {
    width: 450
    height: 40 + 30 * 4
    Component.onCompleted: {
        if (filter.isNew) {
            filter.set("radius", "0.00390625")
            filter.set("radius_w", "auto")
            filter.set("radius_h", "auto")
            filter.set("passes", "0")
            filter.set("radius", "0.00390625")
            filter.set("passes", "0.2857142857142857")
            filter.savePreset(preset.parameters, qsTr("soft"))
            filter.set("radius", "0.00390625")
            filter.set("passes", "0")
            filter.savePreset(preset.parameters)
        }
        setControls()
    }

    function setControls() {
        radiusControl.value = 0 + 512 * filter.getDouble("radius")
        radius_wControl.text = filter.get("radius_w")
        radius_hControl.text = filter.get("radius_h")
        passesControl.currentIndex = passesControl.values.indexOf(filter.get("passes"))
    }

    GridLayout {
        anchors.fill: parent
        anchors.margins: 8
        columns: 3

        Label { text: qsTr("Preset") }
        Shotcut.Preset {
            id: preset
            Layout.columnSpan: 2
            parameters: ["radius", "radius_w", "radius_h", "passes"]
            onPresetSelected: setControls()
        }
        Label {
            text: qsTr("Radius")
            Shotcut.HoverTip { text: qsTr("How far the window reaches to each side, in samples of the plane at hand. It takes a whole number from 0 to 512 (samples).") }
        }
        Shotcut.SliderSpinner {
            id: radiusControl; minimumValue: 0; maximumValue: 512; decimals: 0
            onValueChanged: filter.set("radius", (value - 0) / 512)
        }
        Label { text: qsTr("samples"); Layout.maximumWidth: 110; wrapMode: Text.Wrap }
        Label {
            text: qsTr("Radius across")
            Shotcut.HoverTip { text: qsTr("How far it reaches to the left and right; `auto` is `radius`. It takes auto, or a whole number from 0 to 512 (samples).") }
        }
        TextField { id: radius_wControl; Layout.fillWidth: true; onEditingFinished: filter.set("radius_w", text) }
        Label { text: qsTr("samples"); Layout.maximumWidth: 110; wrapMode: Text.Wrap }
        Label {
            text: qsTr("Radius down")
            Shotcut.HoverTip { text: qsTr("How far it reaches up and down; `auto` is `radius`. It takes auto, or a whole number from 0 to 512 (samples).") }
        }
        TextField { id: radius_hControl; Layout.fillWidth: true; onEditingFinished: filter.set("radius_h", text) }
        Label { text: qsTr("samples"); Layout.maximumWidth: 110; wrapMode: Text.Wrap }
        Label {
            text: qsTr("Passes")
            Shotcut.HoverTip { text: qsTr("How often the mean is taken. Two passes weigh as a tent does, three nearly as a Gaussian. It takes a whole number from 1 to 8.") }
        }
        Shotcut.ComboBox {
            id: passesControl; model: ["1", "2", "3", "4", "5", "6", "7", "8"]
            property var values: ["0", "0.14285714285714285", "0.2857142857142857", "0.42857142857142855", "0.5714285714285714", "0.7142857142857143", "0.8571428571428571", "1"]
            onActivated: filter.set("passes", values[currentIndex])
        }
        Item {}
        Item { Layout.fillHeight: true }
    }
}

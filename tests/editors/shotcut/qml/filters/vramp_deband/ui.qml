/*
vramp plugin library, version VERSION
*/
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts
import Shotcut.Controls as Shotcut

Item {
    width: 450
    height: 40 + 30 * 10
    Component.onCompleted: {
        if (filter.isNew) {
            filter.set("range", "0.11811023622047244")
            filter.set("threshold", "0.4838709677419355")
            filter.set("dither", "auto")
            filter.set("sample", "0.14285714285714285")
            filter.set("seed", "0")
            filter.set("blur_first", "0")
            filter.set("rand_each_frame", "0")
            filter.set("border", "shrink")
            filter.set("angle_boost", "0.1414141414141414")
            filter.set("max_angle", "0.15")
            filter.set("range", "0.09448818897637795")
            filter.set("threshold", "0.1935483870967742")
            filter.set("dither", "6")
            filter.savePreset(preset.parameters, qsTr("gentle"))
            filter.set("range", "0.11811023622047244")
            filter.set("threshold", "0.4838709677419355")
            filter.set("dither", "auto")
            filter.set("range", "0.1889763779527559")
            filter.set("threshold", "0.5161290322580645")
            filter.set("dither", "8")
            filter.set("sample", "0.2857142857142857")
            filter.savePreset(preset.parameters, qsTr("anime"))
            filter.set("range", "0.11811023622047244")
            filter.set("threshold", "0.4838709677419355")
            filter.set("dither", "auto")
            filter.set("sample", "0.14285714285714285")
            filter.set("range", "0.2440944881889764")
            filter.set("threshold", "1")
            filter.set("sample", "0.2857142857142857")
            filter.savePreset(preset.parameters, qsTr("strong"))
            filter.set("range", "0.11811023622047244")
            filter.set("threshold", "0.4838709677419355")
            filter.set("sample", "0.14285714285714285")
            filter.set("dither", "0")
            filter.savePreset(preset.parameters, qsTr("nograin"))
            filter.set("dither", "auto")
            filter.savePreset(preset.parameters)
        }
        setControls()
    }

    function setControls() {
        rangeControl.value = 0 + 127 * filter.getDouble("range")
        thresholdControl.value = 0 + 31 * filter.getDouble("threshold")
        ditherControl.currentIndex = ditherControl.values.indexOf(filter.get("dither"))
        sampleControl.currentIndex = sampleControl.values.indexOf(filter.get("sample"))
        seedControl.text = filter.get("seed")
        blur_firstControl.checked = filter.get("blur_first") === "1"
        rand_each_frameControl.checked = filter.get("rand_each_frame") === "1"
        borderControl.currentIndex = borderControl.values.indexOf(filter.get("border"))
        angle_boostControl.value = 0.1 + 9.9 * filter.getDouble("angle_boost")
        max_angleControl.value = 0 + 1 * filter.getDouble("max_angle")
    }

    GridLayout {
        anchors.fill: parent
        anchors.margins: 8
        columns: 3

        Label { text: qsTr("Preset") }
        Shotcut.Preset {
            id: preset
            Layout.columnSpan: 2
            parameters: ["range", "threshold", "dither", "sample", "seed", "blur_first", "rand_each_frame", "border", "angle_boost", "max_angle"]
            onPresetSelected: setControls()
        }
        Label {
            text: qsTr("Range")
            Shotcut.HoverTip { text: qsTr("How far reference samples may lie, in each direction. Halved on subsampled planes. It takes a whole number from 0 to 127 (samples).") }
        }
        Shotcut.SliderSpinner {
            id: rangeControl; minimumValue: 0; maximumValue: 127; decimals: 0
            onValueChanged: filter.set("range", (value - 0) / 127)
        }
        Label { text: qsTr("samples"); Layout.maximumWidth: 110; wrapMode: Text.Wrap }
        Label {
            text: qsTr("Threshold")
            Shotcut.HoverTip { text: qsTr("How much a sample may differ from its references and still be banding: 4 is one 8-bit step (2 with `blur_first`). Sets every component that has no threshold of its own. It takes a whole number from 0 to 31 (quarters of an 8-bit step).") }
        }
        Shotcut.SliderSpinner {
            id: thresholdControl; minimumValue: 0; maximumValue: 31; decimals: 0
            onValueChanged: filter.set("threshold", (value - 0) / 31)
        }
        Label { text: qsTr("quarters of an 8-bit step"); Layout.maximumWidth: 110; wrapMode: Text.Wrap }
        Label {
            text: qsTr("Noise")
            Shotcut.HoverTip { text: qsTr("Noise added after debanding: 16 reaches one 8-bit step up and down. `auto` is 15, or 0 for `sample=0`. It takes auto, or a whole number from 0 to 31 (16ths of an 8-bit step).") }
        }
        Shotcut.ComboBox {
            id: ditherControl; model: ["auto", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31"]
            property var values: ["auto", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31"]
            onActivated: filter.set("dither", values[currentIndex])
        }
        Label { text: qsTr("16ths of an 8-bit step"); Layout.maximumWidth: 110; wrapMode: Text.Wrap }
        Label {
            text: qsTr("References")
            Shotcut.HoverTip { text: qsTr("References of a sample: 0 copies one, 1 averages a pair, 2 averages two pairs at right angles. As f3kdb numbers them, 3 is a pair in the row, 4 the mean of a pair in the column and one in the row, and 5 both at once, with three thresholds; 6 is 5 with soft thresholds, and 7 raises those where the gradient is steady. It takes a whole number from 0 to 7.") }
        }
        Shotcut.ComboBox {
            id: sampleControl; model: ["0", "1", "2", "3", "4", "5", "6", "7"]
            property var values: ["0", "0.14285714285714285", "0.2857142857142857", "0.42857142857142855", "0.5714285714285714", "0.7142857142857143", "0.8571428571428571", "1"]
            onActivated: filter.set("sample", values[currentIndex])
        }
        Item {}
        Label {
            text: qsTr("Random seed")
            Shotcut.HoverTip { text: qsTr("Chooses the random table. Seeds 2^32 apart are the same, so -1 and 4294967295 are. It takes a whole number from -2147483648 to 4294967295.") }
        }
        TextField { id: seedControl; Layout.fillWidth: true; onEditingFinished: filter.set("seed", text) }
        Item {}
        Label {
            text: qsTr("Compare with the average")
            Shotcut.HoverTip { text: qsTr("Compare a sample with the average of its references, not with each of them. Removes more, detail included. It takes on or off.") }
        }
        CheckBox { id: blur_firstControl; onClicked: filter.set("blur_first", checked ? 1 : 0) }
        Item {}
        Label {
            text: qsTr("Moving noise")
            Shotcut.HoverTip { text: qsTr("Other offsets and noise in each of 16 successive frames, so that neither stands still. It takes on or off.") }
        }
        CheckBox { id: rand_each_frameControl; onClicked: filter.set("rand_each_frame", checked ? 1 : 0) }
        Item {}
        Label {
            text: qsTr("Border")
            Shotcut.HoverTip { text: qsTr("References that would lie outside: `shrink` lets the range shrink towards the border, as AviUtl does, so that the outermost samples are not debanded; `extend` takes the nearest sample inside, and debands at full strength up to the edge. It takes one of shrink, extend.") }
        }
        Shotcut.ComboBox {
            id: borderControl; model: ["shrink", "extend"]
            property var values: ["shrink", "extend"]
            onActivated: filter.set("border", values[currentIndex])
        }
        Item {}
        Label {
            text: qsTr("Boost of steady gradients")
            Shotcut.HoverTip { text: qsTr("With `sample=7`, what multiplies the thresholds where the gradient is steady. It takes a number from 0.1 to 10.") }
        }
        Shotcut.SliderSpinner {
            id: angle_boostControl; minimumValue: 0.1; maximumValue: 10; decimals: 2
            onValueChanged: filter.set("angle_boost", (value - 0.1) / 9.9)
        }
        Item {}
        Label {
            text: qsTr("Steady within")
            Shotcut.HoverTip { text: qsTr("With `sample=7`, by how much the angles of a steady gradient differ at most: 1 is half a turn. It takes a number from 0 to 1 (half turns).") }
        }
        Shotcut.SliderSpinner {
            id: max_angleControl; minimumValue: 0; maximumValue: 1; decimals: 2
            onValueChanged: filter.set("max_angle", (value - 0) / 1)
        }
        Label { text: qsTr("half turns"); Layout.maximumWidth: 110; wrapMode: Text.Wrap }
        Item { Layout.fillHeight: true }
    }
}

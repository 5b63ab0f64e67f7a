/*
vramp plugin library, version VERSION
*/
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts
import Shotcut.Controls as Shotcut

Item {
    width: 450
    height: 40 + 30 * 2
    Component.onCompleted: {
        if (filter.isNew) {
            filter.set("sigma", "0.006259780907668232")
            filter.set("radius", "auto")
            filter.savePreset(preset.parameters)
        }
        setControls()
    }

    function setControls() {
        sigmaControl.value = 0.1 + 63.9 * filter.getDouble("sigma")
        radiusControl.currentIndex = radiusControl.values.indexOf(filter.get("radius"))
    }

    GridLayout {
        anchors.fill: parent
        anchors.margins: 8
        columns: 3

        Label { text: qsTr("Preset") }
        Shotcut.Preset {
            id: preset
            Layout.columnSpan: 2
            parameters: ["sigma", "radius"]
            onPresetSelected: setControls()
        }
        Label {
            text: qsTr("Sigma")
            Shotcut.HoverTip { text: qsTr("Standard deviation of the Gaussian, in samples of the plane at hand. It takes a number from 0.1 to 64 (samples).") }
        }
        Shotcut.SliderSpinner {
            id: sigmaControl; minimumValue: 0.1; maximumValue: 64; decimals: 2
            onValueChanged: filter.set("sigma", (value - 0.1) / 63.9)
        }
        Label { text: qsTr("samples"); Layout.maximumWidth: 110; wrapMode: Text.Wrap }
        Label {
            text: qsTr("Radius")
            Shotcut.HoverTip { text: qsTr("Where the Gaussian is cut off; `auto` is three sigmas, rounded up. It takes auto, or a whole number from 0 to 192 (samples).") }
        }
        Shotcut.ComboBox {
            id: radiusControl; model: ["auto", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32", "33", "34", "35", "36", "37", "38", "39", "40", "41", "42", "43", "44", "45", "46", "47", "48", "49", "50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63", "64", "65", "66", "67", "68", "69", "70", "71", "72", "73", "74", "75", "76", "77", "78", "79", "80", "81", "82", "83", "84", "85", "86", "87", "88", "89", "90", "91", "92", "93", "94", "95", "96", "97", "98", "99", "100", "101", "102", "103", "104", "105", "106", "107", "108", "109", "110", "111", "112", "113", "114", "115", "116", "117", "118", "119", "120", "121", "122", "123", "124", "125", "126", "127", "128", "129", "130", "131", "132", "133", "134", "135", "136", "137", "138", "139", "140", "141", "142", "143", "144", "145", "146", "147", "148", "149", "150", "151", "152", "153", "154", "155", "156", "157", "158", "159", "160", "161", "162", "163", "164", "165", "166", "167", "168", "169", "170", "171", "172", "173", "174", "175", "176", "177", "178", "179", "180", "181", "182", "183", "184", "185", "186", "187", "188", "189", "190", "191", "192"]
            property var values: ["auto", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32", "33", "34", "35", "36", "37", "38", "39", "40", "41", "42", "43", "44", "45", "46", "47", "48", "49", "50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63", "64", "65", "66", "67", "68", "69", "70", "71", "72", "73", "74", "75", "76", "77", "78", "79", "80", "81", "82", "83", "84", "85", "86", "87", "88", "89", "90", "91", "92", "93", "94", "95", "96", "97", "98", "99", "100", "101", "102", "103", "104", "105", "106", "107", "108", "109", "110", "111", "112", "113", "114", "115", "116", "117", "118", "119", "120", "121", "122", "123", "124", "125", "126", "127", "128", "129", "130", "131", "132", "133", "134", "135", "136", "137", "138", "139", "140", "141", "142", "143", "144", "145", "146", "147", "148", "149", "150", "151", "152", "153", "154", "155", "156", "157", "158", "159", "160", "161", "162", "163", "164", "165", "166", "167", "168", "169", "170", "171", "172", "173", "174", "175", "176", "177", "178", "179", "180", "181", "182", "183", "184", "185", "186", "187", "188", "189", "190", "191", "192"]
            onActivated: filter.set("radius", values[currentIndex])
        }
        Label { text: qsTr("samples"); Layout.maximumWidth: 110; wrapMode: Text.Wrap }
        Item { Layout.fillHeight: true }
    }
}

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
            filter.set("chain", "deband(preset gentle)")
            filter.savePreset(preset.parameters, qsTr("deband gentle"))
            filter.set("chain", "deband(preset anime)")
            filter.savePreset(preset.parameters, qsTr("deband anime"))
            filter.set("chain", "deband(preset strong)")
            filter.savePreset(preset.parameters, qsTr("deband strong"))
            filter.set("chain", "deband(preset nograin)")
            filter.savePreset(preset.parameters, qsTr("deband nograin"))
            filter.set("chain", "gradient(preset film)")
            filter.savePreset(preset.parameters, qsTr("gradient film"))
            filter.set("chain", "gradient(preset anime)")
            filter.savePreset(preset.parameters, qsTr("gradient anime"))
            filter.set("chain", "gradient(preset dark)")
            filter.savePreset(preset.parameters, qsTr("gradient dark"))
            filter.set("chain", "gradient(preset codec)")
            filter.savePreset(preset.parameters, qsTr("gradient codec"))
            filter.set("chain", "gradient(preset gentle)")
            filter.savePreset(preset.parameters, qsTr("gradient gentle"))
            filter.set("chain", "bilateral(preset light)")
            filter.savePreset(preset.parameters, qsTr("bilateral light"))
            filter.set("chain", "bilateral(preset strong)")
            filter.savePreset(preset.parameters, qsTr("bilateral strong"))
            filter.set("chain", "box(preset soft)")
            filter.savePreset(preset.parameters, qsTr("box soft"))
            filter.set("chain", "convolve(preset sharpen)")
            filter.savePreset(preset.parameters, qsTr("convolve sharpen"))
            filter.set("chain", "convolve(preset emboss)")
            filter.savePreset(preset.parameters, qsTr("convolve emboss"))
            filter.set("chain", "convolve(preset edge)")
            filter.savePreset(preset.parameters, qsTr("convolve edge"))
            filter.set("chain", "convolve(preset laplacian)")
            filter.savePreset(preset.parameters, qsTr("convolve laplacian"))
            filter.set("chain", "convolve(preset gauss3)")
            filter.savePreset(preset.parameters, qsTr("convolve gauss3"))
            filter.set("chain", "convolve(preset gauss5)")
            filter.savePreset(preset.parameters, qsTr("convolve gauss5"))
            filter.set("chain", "surface_blur(preset grain)")
            filter.savePreset(preset.parameters, qsTr("surface_blur grain"))
            filter.set("chain", "surface_blur(preset flat)")
            filter.savePreset(preset.parameters, qsTr("surface_blur flat"))
            filter.set("chain", "grain(preset faint)")
            filter.savePreset(preset.parameters, qsTr("grain faint"))
            filter.set("chain", "grain(preset fine)")
            filter.savePreset(preset.parameters, qsTr("grain fine"))
            filter.set("chain", "grain(preset film35)")
            filter.savePreset(preset.parameters, qsTr("grain film35"))
            filter.set("chain", "grain(preset film16)")
            filter.savePreset(preset.parameters, qsTr("grain film16"))
            filter.set("chain", "grain(preset super8)")
            filter.savePreset(preset.parameters, qsTr("grain super8"))
            filter.set("chain", "grain(preset silver)")
            filter.savePreset(preset.parameters, qsTr("grain silver"))
            filter.set("chain", "grain(preset pushed)")
            filter.savePreset(preset.parameters, qsTr("grain pushed"))
            filter.set("chain", "grain(preset sensor)")
            filter.savePreset(preset.parameters, qsTr("grain sensor"))
            filter.set("chain", "mask(preset shadows)")
            filter.savePreset(preset.parameters, qsTr("mask shadows"))
            filter.set("chain", "mask(preset highlights)")
            filter.savePreset(preset.parameters, qsTr("mask highlights"))
            filter.set("chain", "mask(preset lines)")
            filter.savePreset(preset.parameters, qsTr("mask lines"))
            filter.set("chain", "mask(preset flat)")
            filter.savePreset(preset.parameters, qsTr("mask flat"))
            filter.set("chain", "curves(preset darker)")
            filter.savePreset(preset.parameters, qsTr("curves darker"))
            filter.set("chain", "curves(preset lighter)")
            filter.savePreset(preset.parameters, qsTr("curves lighter"))
            filter.set("chain", "curves(preset linear_contrast)")
            filter.savePreset(preset.parameters, qsTr("curves linear_contrast"))
            filter.set("chain", "curves(preset medium_contrast)")
            filter.savePreset(preset.parameters, qsTr("curves medium_contrast"))
            filter.set("chain", "curves(preset strong_contrast)")
            filter.savePreset(preset.parameters, qsTr("curves strong_contrast"))
            filter.set("chain", "curves(preset faded)")
            filter.savePreset(preset.parameters, qsTr("curves faded"))
            filter.set("chain", "curves(preset negative)")
            filter.savePreset(preset.parameters, qsTr("curves negative"))
            filter.set("chain", "localtone(preset landscape)")
            filter.savePreset(preset.parameters, qsTr("localtone landscape"))
            filter.set("chain", "localtone(preset architecture)")
            filter.savePreset(preset.parameters, qsTr("localtone architecture"))
            filter.set("chain", "localtone(preset dramatic)")
            filter.savePreset(preset.parameters, qsTr("localtone dramatic"))
            filter.set("chain", "localtone(preset forest)")
            filter.savePreset(preset.parameters, qsTr("localtone forest"))
            filter.set("chain", "localtone(preset sky)")
            filter.savePreset(preset.parameters, qsTr("localtone sky"))
            filter.set("chain", "localtone(preset night)")
            filter.savePreset(preset.parameters, qsTr("localtone night"))
            filter.set("chain", "localtone(preset portrait)")
            filter.savePreset(preset.parameters, qsTr("localtone portrait"))
            filter.set("chain", "localtone(preset group)")
            filter.savePreset(preset.parameters, qsTr("localtone group"))
            filter.set("chain", "localtone(preset soft)")
            filter.savePreset(preset.parameters, qsTr("localtone soft"))
            filter.set("chain", "localtone(preset party)")
            filter.savePreset(preset.parameters, qsTr("localtone party"))
            filter.set("chain", "localtone(preset natural)")
            filter.savePreset(preset.parameters, qsTr("localtone natural"))
            filter.set("chain", "localtone(preset vivid)")
            filter.savePreset(preset.parameters, qsTr("localtone vivid"))
            filter.set("chain", "localtone(preset backlight)")
            filter.savePreset(preset.parameters, qsTr("localtone backlight"))
            filter.set("chain", "localtone(preset street)")
            filter.savePreset(preset.parameters, qsTr("localtone street"))
            filter.set("chain", "localtone(preset grunge)")
            filter.savePreset(preset.parameters, qsTr("localtone grunge"))
            filter.set("chain", "localtone(preset mono)")
            filter.savePreset(preset.parameters, qsTr("localtone mono"))
            filter.set("chain", "clahe(preset subtle)")
            filter.savePreset(preset.parameters, qsTr("clahe subtle"))
            filter.set("chain", "clahe(preset strong)")
            filter.savePreset(preset.parameters, qsTr("clahe strong"))
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
        columns: 3

        Label { text: qsTr("Preset") }
        Shotcut.Preset {
            id: preset
            Layout.columnSpan: 2
            parameters: ["chain"]
            onPresetSelected: setControls()
        }
        Label {
            text: qsTr("Chain")
            Shotcut.HoverTip { text: qsTr("Filters in order, as in deband(range 16, sample 2) > gauss(0.5)") }
        }
        TextField { id: chainControl; Layout.fillWidth: true; onEditingFinished: filter.set("chain", text) }
        Item {}
        Item { Layout.fillHeight: true }
    }
}

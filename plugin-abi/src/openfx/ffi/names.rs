//! Names of actions, suites, properties and values. Each is the header's `kOfx…` in Rust's spelling.

use std::ffi::CStr;

/// Declares names, and lists them for the test.
macro_rules! names {
    ($($name:ident = $theirs:literal $value:literal;)+) => {
        $(
            #[doc = concat!("`", $theirs, "`.")]
            pub const $name: &CStr = match CStr::from_bytes_with_nul(concat!($value, "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name with a NUL"),
            };
        )+

        /// Each header's name and what it is here.
        #[cfg(test)]
        pub const ALL: &[(&str, &CStr)] = &[$(($theirs, $name)),+];
    };
}

names! {
    PROPERTY_SUITE = "kOfxPropertySuite" "OfxPropertySuite";
    IMAGE_EFFECT_SUITE = "kOfxImageEffectSuite" "OfxImageEffectSuite";
    PARAMETER_SUITE = "kOfxParameterSuite" "OfxParameterSuite";
    MESSAGE_SUITE = "kOfxMessageSuite" "OfxMessageSuite";

    LOAD = "kOfxActionLoad" "OfxActionLoad";
    UNLOAD = "kOfxActionUnload" "OfxActionUnload";
    DESCRIBE = "kOfxActionDescribe" "OfxActionDescribe";
    DESCRIBE_IN_CONTEXT = "kOfxImageEffectActionDescribeInContext" "OfxImageEffectActionDescribeInContext";
    CREATE_INSTANCE = "kOfxActionCreateInstance" "OfxActionCreateInstance";
    DESTROY_INSTANCE = "kOfxActionDestroyInstance" "OfxActionDestroyInstance";
    PURGE_CACHES = "kOfxActionPurgeCaches" "OfxActionPurgeCaches";
    GET_CLIP_PREFERENCES = "kOfxImageEffectActionGetClipPreferences" "OfxImageEffectActionGetClipPreferences";
    GET_FRAMES_NEEDED = "kOfxImageEffectActionGetFramesNeeded" "OfxImageEffectActionGetFramesNeeded";
    IS_IDENTITY = "kOfxImageEffectActionIsIdentity" "OfxImageEffectActionIsIdentity";
    RENDER = "kOfxImageEffectActionRender" "OfxImageEffectActionRender";

    NAME = "kOfxPropName" "OfxPropName";
    LABEL = "kOfxPropLabel" "OfxPropLabel";
    TIME = "kOfxPropTime" "OfxPropTime";
    DESCRIPTION = "kOfxPropPluginDescription" "OfxPropPluginDescription";
    GROUPING = "kOfxImageEffectPluginPropGrouping" "OfxImageEffectPluginPropGrouping";
    SUPPORTED_CONTEXTS = "kOfxImageEffectPropSupportedContexts" "OfxImageEffectPropSupportedContexts";
    FILTER_CONTEXT = "kOfxImageEffectContextFilter" "OfxImageEffectContextFilter";
    GENERAL_CONTEXT = "kOfxImageEffectContextGeneral" "OfxImageEffectContextGeneral";
    SUPPORTED_DEPTHS = "kOfxImageEffectPropSupportedPixelDepths" "OfxImageEffectPropSupportedPixelDepths";
    PIXEL_DEPTH = "kOfxImageEffectPropPixelDepth" "OfxImageEffectPropPixelDepth";
    BYTE = "kOfxBitDepthByte" "OfxBitDepthByte";
    SHORT = "kOfxBitDepthShort" "OfxBitDepthShort";
    HALF = "kOfxBitDepthHalf" "OfxBitDepthHalf";
    FLOAT = "kOfxBitDepthFloat" "OfxBitDepthFloat";
    SUPPORTED_COMPONENTS = "kOfxImageEffectPropSupportedComponents" "OfxImageEffectPropSupportedComponents";
    COMPONENTS = "kOfxImageEffectPropComponents" "OfxImageEffectPropComponents";
    RGBA = "kOfxImageComponentRGBA" "OfxImageComponentRGBA";
    THREAD_SAFETY = "kOfxImageEffectPluginRenderThreadSafety" "OfxImageEffectPluginRenderThreadSafety";
    FULLY_SAFE = "kOfxImageEffectRenderFullySafe" "OfxImageEffectRenderFullySafe";
    HOST_FRAME_THREADING = "kOfxImageEffectPluginPropHostFrameThreading" "OfxImageEffectPluginPropHostFrameThreading";
    SUPPORTS_TILES = "kOfxImageEffectPropSupportsTiles" "OfxImageEffectPropSupportsTiles";
    SUPPORTS_MULTI_RESOLUTION = "kOfxImageEffectPropSupportsMultiResolution" "OfxImageEffectPropSupportsMultiResolution";
    SUPPORTS_SEVERAL_DEPTHS = "kOfxImageEffectPropSupportsMultipleClipDepths" "OfxImageEffectPropMultipleClipDepths";
    TEMPORAL_CLIP_ACCESS = "kOfxImageEffectPropTemporalClipAccess" "OfxImageEffectPropTemporalClipAccess";
    RENDER_TWICE_ALWAYS =
        "kOfxImageEffectPluginPropFieldRenderTwiceAlways" "OfxImageEffectPluginPropFieldRenderTwiceAlways";
    FIELD_EXTRACTION = "kOfxImageClipPropFieldExtraction" "OfxImageClipPropFieldExtraction";
    FIELD_BOTH = "kOfxImageFieldBoth" "OfxFieldBoth";
    FIELD_ORDER = "kOfxImageClipPropFieldOrder" "OfxImageClipPropFieldOrder";
    FIELD_LOWER = "kOfxImageFieldLower" "OfxFieldLower";
    FIELD_UPPER = "kOfxImageFieldUpper" "OfxFieldUpper";
    FRAME_RANGE = "kOfxImageEffectPropFrameRange" "OfxImageEffectPropFrameRange";
    FRAME_VARYING = "kOfxImageEffectFrameVarying" "OfxImageEffectFrameVarying";
    RENDER_WINDOW = "kOfxImageEffectPropRenderWindow" "OfxImageEffectPropRenderWindow";
    RENDER_SCALE = "kOfxImageEffectPropRenderScale" "OfxImageEffectPropRenderScale";
    CUDA_RENDER_SUPPORTED = "kOfxImageEffectPropCudaRenderSupported" "OfxImageEffectPropCudaRenderSupported";
    CUDA_STREAM_SUPPORTED = "kOfxImageEffectPropCudaStreamSupported" "OfxImageEffectPropCudaStreamSupported";
    CUDA_ENABLED = "kOfxImageEffectPropCudaEnabled" "OfxImageEffectPropCudaEnabled";
    CUDA_STREAM = "kOfxImageEffectPropCudaStream" "OfxImageEffectPropCudaStream";
    SOURCE = "kOfxImageEffectSimpleSourceClipName" "Source";
    OUTPUT = "kOfxImageEffectOutputClipName" "Output";

    IMAGE_DATA = "kOfxImagePropData" "OfxImagePropData";
    IMAGE_BOUNDS = "kOfxImagePropBounds" "OfxImagePropBounds";
    IMAGE_ROW_BYTES = "kOfxImagePropRowBytes" "OfxImagePropRowBytes";
    PREMULTIPLICATION = "kOfxImageEffectPropPreMultiplication" "OfxImageEffectPropPreMultiplication";
    PREMULTIPLIED = "kOfxImagePreMultiplied" "OfxImageAlphaPremultiplied";

    PARAM_BOOLEAN = "kOfxParamTypeBoolean" "OfxParamTypeBoolean";
    PARAM_INTEGER = "kOfxParamTypeInteger" "OfxParamTypeInteger";
    PARAM_DOUBLE = "kOfxParamTypeDouble" "OfxParamTypeDouble";
    PARAM_CHOICE = "kOfxParamTypeChoice" "OfxParamTypeChoice";
    PARAM_STRING = "kOfxParamTypeString" "OfxParamTypeString";
    PARAM_GROUP = "kOfxParamTypeGroup" "OfxParamTypeGroup";
    PARAM_PAGE = "kOfxParamTypePage" "OfxParamTypePage";
    PAGE_CHILD = "kOfxParamPropPageChild" "OfxParamPropPageChild";
    PARENT = "kOfxParamPropParent" "OfxParamPropParent";
    GROUP_OPEN = "kOfxParamPropGroupOpen" "OfxParamPropGroupOpen";
    HINT = "kOfxParamPropHint" "OfxParamPropHint";
    DEFAULT = "kOfxParamPropDefault" "OfxParamPropDefault";
    MIN = "kOfxParamPropMin" "OfxParamPropMin";
    MAX = "kOfxParamPropMax" "OfxParamPropMax";
    DISPLAY_MIN = "kOfxParamPropDisplayMin" "OfxParamPropDisplayMin";
    DISPLAY_MAX = "kOfxParamPropDisplayMax" "OfxParamPropDisplayMax";
    CHOICE_OPTION = "kOfxParamPropChoiceOption" "OfxParamPropChoiceOption";
    STRING_MODE = "kOfxParamPropStringMode" "OfxParamPropStringMode";
    SINGLE_LINE = "kOfxParamStringIsSingleLine" "OfxParamStringIsSingleLine";
    ANIMATES = "kOfxParamPropAnimates" "OfxParamPropAnimates";

    MESSAGE_ERROR = "kOfxMessageError" "OfxMessageError";
}

//! What a bundle of OpenFX says of itself, for hosts that read it.

use super::controls::mark;

/// The bundle's `Info.plist`.
pub fn info() -> String {
    let entry = |(key, value): (&str, &str)| format!("    <key>{key}</key>\n    <string>{value}</string>\n");
    let entries: String = [
        ("CFBundleDevelopmentRegion", "English"),
        ("CFBundleExecutable", "vramp.ofx"),
        ("CFBundleIdentifier", "org.vramp.openfx"),
        ("CFBundleInfoDictionaryVersion", "6.0"),
        ("CFBundleName", "vramp"),
        ("CFBundlePackageType", "BNDL"),
        ("CFBundleVersion", env!("CARGO_PKG_VERSION")),
    ]
    .map(entry)
    .concat();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- {}\n-->\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n{entries}</dict>\n</plist>\n",
        mark()
    )
}

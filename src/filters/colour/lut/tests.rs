use super::*;

fn of(kind: LutKind, text: &str) -> Result<Lut, String> {
    parse(kind, text.as_bytes()).map_err(|error| error.message().to_owned())
}

/// The colour at a corner of a cube.
fn corner(lut: &Lut, at: [usize; 3]) -> [f32; 3] {
    let cube = lut.cube.as_ref().unwrap();
    cube.values[(at[2] * cube.edge + at[1]) * cube.edge + at[0]]
}

const CUBE: &str = "\u{feff}TITLE \"grünes # Licht\"\r\n# remark\n\nLUT_3D_SIZE 2\nDOMAIN_MIN 0 0 0\nDOMAIN_MAX 1 1 2\n\
    0 0 0\n1 0 0 # red\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1.5e0 1 .5\n";

#[test]
fn a_cube_is_read() {
    let lut = of(LutKind::Cube, CUBE).unwrap();
    assert_eq!(corner(&lut, [1, 0, 0]), [1.0, 0.0, 0.0]);
    assert_eq!(corner(&lut, [1, 1, 1]), [1.5, 1.0, 0.5]);
    assert_eq!(lut.cube.unwrap().domain, LutDomain { min: [0.0; 3], max: [1.0, 1.0, 2.0] });
    assert_eq!((lut.curves, lut.limited), (None, [false; 2]));
}

#[test]
fn curves_stand_before_the_cube() {
    let lut = of(
        LutKind::Cube,
        "LUT_1D_SIZE 3\nLUT_1D_INPUT_RANGE -0.5 1.5\nLUT_3D_SIZE 2\nLUT_IN_VIDEO_RANGE\n0 0 0\n.2 .2 .3\n1 1 1\n\
         0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n",
    )
    .unwrap();
    let curves = lut.curves.unwrap();
    assert_eq!(curves.values, [[0.0; 3], [0.2, 0.2, 0.3], [1.0; 3]]);
    assert_eq!((curves.domain, lut.cube.unwrap().domain), (LutDomain::of([-0.5, 1.5]), LutDomain::UNIT));
    assert_eq!(lut.limited, [true, false]);
}

/// A cube of two along the edge, in which red is what red's place says times four, blue fastest: in .dat and .m3d.
fn blue_fastest(scale: u32) -> String {
    (0..8).map(|i| format!("{} {} {}\n", (i >> 2) * scale, (i >> 1 & 1) * scale, (i & 1) * scale)).collect()
}

#[test]
fn other_formats_have_blue_fastest() {
    let identity = |lut: &Lut| {
        (0..8).all(|i| corner(lut, [i & 1, i >> 1 & 1, i >> 2]) == [i & 1, i >> 1 & 1, i >> 2].map(|part| part as f32))
    };
    assert!(identity(&of(LutKind::Dat, &format!("3DLUTSIZE 2\n\n{}", blue_fastest(1))).unwrap()));
    assert!(identity(
        &of(LutKind::M3d, &format!("name x\nin 8\nout 1024\nvalues red green blue\n{}", blue_fastest(1023))).unwrap()
    ));
    assert!(identity(&of(LutKind::Mesh, &format!("0 1023\n{}", blue_fastest(4095))).unwrap()));
    // The depth that is stated counts: 1023 of 4095.
    let dark =
        of(LutKind::Mesh, &format!("3DMESH\nMesh 1 12\n0 1023\n{}LUT8\ngamma 1.0\n", blue_fastest(1023))).unwrap();
    assert!((corner(&dark, [1, 0, 0])[0] - 1023.0 / 4095.0).abs() < 1e-6);
    let swapped = of(LutKind::M3d, &format!("in 8\nout 2\nvalues blue green red\n{}", blue_fastest(1))).unwrap();
    assert_eq!(corner(&swapped, [1, 0, 0]), [0.0, 0.0, 1.0]);
}

/// Inputs 0, 100, 1023: the input 100 lies in the middle of the edge, and 50 at a quarter.
#[test]
fn uneven_inputs_are_evened() {
    let rows: String = (0..27).map(|i| format!("{} {} {}\n", i / 9 * 500, i / 3 % 3 * 500, i % 3 * 500)).collect();
    let curves = of(LutKind::Mesh, &format!("0 100 1023\n{rows}")).unwrap().curves.unwrap();
    let at = |input: f64| curves.values[(input / 1023.0 * 65535.0).round() as usize][0];
    assert!((at(100.0) - 0.5).abs() < 1e-3 && (at(50.0) - 0.25).abs() < 1e-3 && at(1023.0) == 1.0 && at(0.0) == 0.0);
    // Those of ten bits and 17 places, as programs round them, are even.
    let rows: String = (0..17 * 17 * 17).map(|_| "4095 0 0\n").collect();
    let even = "0 64 128 192 256 320 384 448 512 576 640 704 768 832 896 960 1023\n";
    assert_eq!(of(LutKind::Mesh, &format!("{even}{rows}")).unwrap().curves, None);
}

fn png(side: u32, depth: png::BitDepth, colour: png::ColorType, samples: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    encoder.write_header().unwrap().write_image_data(samples).unwrap();
    bytes
}

#[test]
fn a_hald_is_a_picture() {
    // Level 2: 8×8 pixels, an edge of 4, red fastest.
    let samples: Vec<u8> = (0..64u8).flat_map(|i| [i % 4 * 85, i / 4 % 4 * 85, i / 16 * 85]).collect();
    let lut = parse(LutKind::Hald, &png(8, png::BitDepth::Eight, png::ColorType::Rgb, &samples)).unwrap();
    assert_eq!((lut.cube.as_ref().unwrap().edge, corner(&lut, [3, 1, 2])), (4, [1.0, 85.0 / 255.0, 170.0 / 255.0]));
    let wide: Vec<u8> = samples.iter().flat_map(|sample| [*sample, *sample]).collect();
    let wide = parse(LutKind::Hald, &png(8, png::BitDepth::Sixteen, png::ColorType::Rgb, &wide)).unwrap();
    assert!(corner(&wide, [1, 0, 0])[0] - 85.0 * 257.0 / 65535.0 == 0.0);
    for (bytes, words) in [
        (png(9, png::BitDepth::Eight, png::ColorType::Rgb, &[0; 243]), "9x9 is no HaldCLUT's size"),
        (png(8, png::BitDepth::Eight, png::ColorType::Grayscale, &[0; 64]), "this one is grey"),
        (b"no picture".to_vec(), "the picture cannot be read"),
    ] {
        assert!(parse(LutKind::Hald, &bytes).unwrap_err().message().contains(words), "{words}");
    }
}

#[test]
fn errors_name_the_line_and_the_count() {
    for (kind, text, words) in [
        (LutKind::Cube, "LUT_3D_SIZE 2\n0 0 0\n1 x 0\n".to_owned(), "line 3: '1 x 0' is not three numbers"),
        (LutKind::Cube, "LUT_3D_SIZE 2\n0 0 0\n1 0\n".to_owned(), "line 3: '1 0' is not three numbers"),
        (LutKind::Cube, "LUT_3D_SIZE 2\n0 0 0\n1 nan 0\n".to_owned(), "line 3: '1 nan 0' is not three numbers"),
        (
            LutKind::Cube,
            "LUT_3D_SIZE 2\n0 0 0\n".to_owned(),
            "line 2: the file ends after 1 of the 8 colours that 2×2×2 has",
        ),
        (LutKind::Cube, format!("{CUBE}0 0 0\n"), "line 15: one colour more than the 8 that 2×2×2 has"),
        (LutKind::Cube, "LUT_3D_SIZE 500\n".to_owned(), "line 1: LUT_3D_SIZE takes a whole number from 2 to 256"),
        (LutKind::Cube, "LUT_3D_SIZE 2\nLUT_3D_SIZE 2\n".to_owned(), "line 2: LUT_3D_SIZE is there twice"),
        (LutKind::Cube, "DOMAIN_MIN 0 0\n".to_owned(), "line 1: DOMAIN_MIN takes 3 numbers"),
        (LutKind::Cube, "TITLE x\n0 0 0\n".to_owned(), "line 2: no LUT_1D_SIZE or LUT_3D_SIZE"),
        (LutKind::Cube, String::new(), "line 0: no LUT_1D_SIZE or LUT_3D_SIZE"),
        (
            LutKind::Cube,
            format!("DOMAIN_MAX 0 0 0\n{}", &CUBE[3..].replace("DOMAIN_MAX 1 1 2\n", "")),
            "domain ends at 0",
        ),
        (
            LutKind::Cube,
            CUBE.replace("DOMAIN_MIN 0 0 0", "DOMAIN_MIN 1 0 0").replace("MAX 1", "MAX 2"),
            "values from 1 to 2",
        ),
        (LutKind::Mesh, "0 64 32\n".to_owned(), "line 1: inputs are 2 to 256 rising numbers"),
        (LutKind::Mesh, "0 1023\n70000 0 0\n".to_owned(), "line 2: the file ends after 1 of the 8"),
        (LutKind::Mesh, format!("0 1023\n{}", blue_fastest(70_000)), "a result is 70000"),
        (LutKind::Mesh, "Mesh 4 11\n".to_owned(), "line 1: results have 8, 10, 12, 14 or 16 bits"),
        (LutKind::Dat, "0 0 0\n".to_owned(), "line 1: the file ends after 1 of the 35937"),
        (LutKind::M3d, "in 9\n".to_owned(), "line 1: 9 colours are no cube"),
        (LutKind::M3d, "in 8\nvalues red green blue\n".to_owned(), "line 2: 'in', 'out' and 'values'"),
        (LutKind::M3d, "in 8\nout 2\nvalues red green\n".to_owned(), "line 3: values are red, green and blue"),
    ] {
        let message = of(kind, &text).unwrap_err();
        assert!(message.contains(words) && !message.contains('\n'), "{text}: {message}");
    }
}

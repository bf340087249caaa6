//! Colours of style sheets (CSS Color Module Level 4) in sRGB.

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Colour {
    pub(super) rgb: [u8; 3],
    /// Opacity, 0 to 1.
    pub(super) alpha: f32,
}

impl Colour {
    const fn opaque(rgb: [u8; 3]) -> Self {
        Self { rgb, alpha: 1.0 }
    }

    /// This colour in front of another one.
    pub(super) fn over(self, behind: [u8; 3]) -> [u8; 3] {
        let [mut red, mut green, mut blue] = self.rgb;
        for (front, back) in [&mut red, &mut green, &mut blue].into_iter().zip(behind) {
            let mixed = f32::from(*front) * self.alpha + f32::from(back) * (1.0 - self.alpha);
            *front = mixed.round() as u8;
        }
        [red, green, blue]
    }
}

/// A colour in lower-case letters, as style sheets write it. Colours that depend on the place have no value here.
pub(super) fn parse(text: &str) -> Option<Colour> {
    let text = text.trim();
    if let Some(digits) = text.strip_prefix('#') {
        return hexadecimal(digits);
    }
    if let Some((function, rest)) = text.split_once('(') {
        let arguments = rest.strip_suffix(')').unwrap_or(rest);
        return match function {
            "rgb" | "rgba" => rgb(arguments),
            "hsl" | "hsla" => hsl(arguments),
            _ => None,
        };
    }
    if text == "transparent" {
        return Some(Colour { rgb: [0; 3], alpha: 0.0 });
    }
    named(text)
}

/// A colour of an attribute (`bgcolor`, `color`): the same forms, and hexadecimal digits without a sign.
pub(super) fn parse_attribute(text: &str) -> Option<Colour> {
    let text = text.trim().to_ascii_lowercase();
    parse(&text).or_else(|| hexadecimal(&text))
}

fn hexadecimal(digits: &str) -> Option<Colour> {
    if !matches!(digits.len(), 3 | 4 | 6 | 8) || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    let nibble = |shift: u32| ((number >> shift & 0xf) * 0x11) as u8;
    let byte = |shift: u32| (number >> shift & 0xff) as u8;
    let alpha = |value: u8| f32::from(value) / 255.0;
    Some(match digits.len() {
        3 => Colour::opaque([nibble(8), nibble(4), nibble(0)]),
        4 => Colour { rgb: [nibble(12), nibble(8), nibble(4)], alpha: alpha(nibble(0)) },
        6 => Colour::opaque([byte(16), byte(8), byte(0)]),
        _ => Colour { rgb: [byte(24), byte(16), byte(8)], alpha: alpha(byte(0)) },
    })
}

/// Arguments between commas, spaces and slashes: three numbers and the opacity.
fn numbers(arguments: &str) -> Option<([&str; 3], f32)> {
    let mut parts = arguments.split([',', ' ', '/', '\t', '\n']).filter(|part| !part.is_empty());
    let numbers = [parts.next()?, parts.next()?, parts.next()?];
    let alpha = parts.next().map_or(Some(1.0), |text| scaled(text, 1.0))?;
    Some((numbers, alpha.clamp(0.0, 1.0)))
}

/// A number, or a percentage of `whole`.
fn scaled(text: &str, whole: f32) -> Option<f32> {
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.parse::<f32>().ok()? / 100.0 * whole,
        None if text == "none" => 0.0,
        None => text.parse().ok()?,
    };
    value.is_finite().then_some(value)
}

fn rgb(arguments: &str) -> Option<Colour> {
    let (parts, alpha) = numbers(arguments)?;
    let mut rgb = [0; 3];
    for (component, part) in rgb.iter_mut().zip(parts) {
        *component = scaled(part, 255.0)?.clamp(0.0, 255.0).round() as u8;
    }
    Some(Colour { rgb, alpha })
}

fn hsl(arguments: &str) -> Option<Colour> {
    let ([hue, saturation, lightness], alpha) = numbers(arguments)?;
    let hue = scaled(hue.strip_suffix("deg").unwrap_or(hue), 360.0)?.rem_euclid(360.0);
    // Both are percentages; the modern syntax permits numbers of the same scale.
    let part =
        |text: &str| scaled(text.trim_end_matches('%'), 1.0).map(|value| (value / 100.0).clamp(0.0, 1.0));
    let (saturation, lightness) = (part(saturation)?, part(lightness)?);
    let reach = saturation * lightness.min(1.0 - lightness);
    let component = |offset: f32| {
        let k = (offset + hue / 30.0) % 12.0;
        let value = lightness - reach * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
        (value * 255.0).round() as u8
    };
    Some(Colour { rgb: [component(0.0), component(8.0), component(4.0)], alpha })
}

fn named(name: &str) -> Option<Colour> {
    let at = NAMED.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    let (_, value) = NAMED.get(at)?;
    let [_, red, green, blue] = value.to_be_bytes();
    Some(Colour::opaque([red, green, blue]))
}

/// Named colours, sorted.
#[rustfmt::skip]
const NAMED: [(&str, u32); 148] = [
    ("aliceblue", 0xf0f8ff), ("antiquewhite", 0xfaebd7), ("aqua", 0x00ffff), ("aquamarine", 0x7fffd4),
    ("azure", 0xf0ffff), ("beige", 0xf5f5dc), ("bisque", 0xffe4c4), ("black", 0x000000), ("blanchedalmond", 0xffebcd),
    ("blue", 0x0000ff), ("blueviolet", 0x8a2be2), ("brown", 0xa52a2a), ("burlywood", 0xdeb887),
    ("cadetblue", 0x5f9ea0), ("chartreuse", 0x7fff00), ("chocolate", 0xd2691e), ("coral", 0xff7f50),
    ("cornflowerblue", 0x6495ed), ("cornsilk", 0xfff8dc), ("crimson", 0xdc143c), ("cyan", 0x00ffff),
    ("darkblue", 0x00008b), ("darkcyan", 0x008b8b), ("darkgoldenrod", 0xb8860b), ("darkgray", 0xa9a9a9),
    ("darkgreen", 0x006400), ("darkgrey", 0xa9a9a9), ("darkkhaki", 0xbdb76b), ("darkmagenta", 0x8b008b),
    ("darkolivegreen", 0x556b2f), ("darkorange", 0xff8c00), ("darkorchid", 0x9932cc), ("darkred", 0x8b0000),
    ("darksalmon", 0xe9967a), ("darkseagreen", 0x8fbc8f), ("darkslateblue", 0x483d8b), ("darkslategray", 0x2f4f4f),
    ("darkslategrey", 0x2f4f4f), ("darkturquoise", 0x00ced1), ("darkviolet", 0x9400d3), ("deeppink", 0xff1493),
    ("deepskyblue", 0x00bfff), ("dimgray", 0x696969), ("dimgrey", 0x696969), ("dodgerblue", 0x1e90ff),
    ("firebrick", 0xb22222), ("floralwhite", 0xfffaf0), ("forestgreen", 0x228b22), ("fuchsia", 0xff00ff),
    ("gainsboro", 0xdcdcdc), ("ghostwhite", 0xf8f8ff), ("gold", 0xffd700), ("goldenrod", 0xdaa520),
    ("gray", 0x808080), ("green", 0x008000), ("greenyellow", 0xadff2f), ("grey", 0x808080), ("honeydew", 0xf0fff0),
    ("hotpink", 0xff69b4), ("indianred", 0xcd5c5c), ("indigo", 0x4b0082), ("ivory", 0xfffff0), ("khaki", 0xf0e68c),
    ("lavender", 0xe6e6fa), ("lavenderblush", 0xfff0f5), ("lawngreen", 0x7cfc00), ("lemonchiffon", 0xfffacd),
    ("lightblue", 0xadd8e6), ("lightcoral", 0xf08080), ("lightcyan", 0xe0ffff), ("lightgoldenrodyellow", 0xfafad2),
    ("lightgray", 0xd3d3d3), ("lightgreen", 0x90ee90), ("lightgrey", 0xd3d3d3), ("lightpink", 0xffb6c1),
    ("lightsalmon", 0xffa07a), ("lightseagreen", 0x20b2aa), ("lightskyblue", 0x87cefa), ("lightslategray", 0x778899),
    ("lightslategrey", 0x778899), ("lightsteelblue", 0xb0c4de), ("lightyellow", 0xffffe0), ("lime", 0x00ff00),
    ("limegreen", 0x32cd32), ("linen", 0xfaf0e6), ("magenta", 0xff00ff), ("maroon", 0x800000),
    ("mediumaquamarine", 0x66cdaa), ("mediumblue", 0x0000cd), ("mediumorchid", 0xba55d3), ("mediumpurple", 0x9370db),
    ("mediumseagreen", 0x3cb371), ("mediumslateblue", 0x7b68ee), ("mediumspringgreen", 0x00fa9a),
    ("mediumturquoise", 0x48d1cc), ("mediumvioletred", 0xc71585), ("midnightblue", 0x191970), ("mintcream", 0xf5fffa),
    ("mistyrose", 0xffe4e1), ("moccasin", 0xffe4b5), ("navajowhite", 0xffdead), ("navy", 0x000080),
    ("oldlace", 0xfdf5e6), ("olive", 0x808000), ("olivedrab", 0x6b8e23), ("orange", 0xffa500),
    ("orangered", 0xff4500), ("orchid", 0xda70d6), ("palegoldenrod", 0xeee8aa), ("palegreen", 0x98fb98),
    ("paleturquoise", 0xafeeee), ("palevioletred", 0xdb7093), ("papayawhip", 0xffefd5), ("peachpuff", 0xffdab9),
    ("peru", 0xcd853f), ("pink", 0xffc0cb), ("plum", 0xdda0dd), ("powderblue", 0xb0e0e6), ("purple", 0x800080),
    ("rebeccapurple", 0x663399), ("red", 0xff0000), ("rosybrown", 0xbc8f8f), ("royalblue", 0x4169e1),
    ("saddlebrown", 0x8b4513), ("salmon", 0xfa8072), ("sandybrown", 0xf4a460), ("seagreen", 0x2e8b57),
    ("seashell", 0xfff5ee), ("sienna", 0xa0522d), ("silver", 0xc0c0c0), ("skyblue", 0x87ceeb),
    ("slateblue", 0x6a5acd), ("slategray", 0x708090), ("slategrey", 0x708090), ("snow", 0xfffafa),
    ("springgreen", 0x00ff7f), ("steelblue", 0x4682b4), ("tan", 0xd2b48c), ("teal", 0x008080), ("thistle", 0xd8bfd8),
    ("tomato", 0xff6347), ("turquoise", 0x40e0d0), ("violet", 0xee82ee), ("wheat", 0xf5deb3), ("white", 0xffffff),
    ("whitesmoke", 0xf5f5f5), ("yellow", 0xffff00), ("yellowgreen", 0x9acd32),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_of_a_colour_is_read() {
        let red = Some(Colour::opaque([255, 0, 0]));
        for text in [
            "red",
            "#f00",
            "#ff0000",
            "#f00f",
            "#ff0000ff",
            "rgb(255,0,0)",
            "rgb(255 0 0 / 1)",
            "rgba(100%, 0%, 0%, 100%)",
            "hsl(0, 100%, 50%)",
            "hsl(360deg 100 50)",
        ] {
            assert_eq!(parse(text), red, "{text}");
        }
        assert_eq!(parse("hsl(120, 100%, 25%)").map(|colour| colour.rgb), Some([0, 128, 0]));
        assert_eq!(parse("rgba(0,0,0,.05)").map(|colour| colour.alpha), Some(0.05));
        assert_eq!(parse("transparent").map(|colour| colour.alpha), Some(0.0));
        for text in [
            "",
            "#ff",
            "#ggg",
            "rgb(1,2)",
            "rgb(a,b,c)",
            "currentcolor",
            "var(--x)",
            "rgb(nan,0,0)",
            "#\u{e9}12",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse_attribute("FFFFFF"), parse("white"));
    }

    #[test]
    fn named_colours_are_sorted() {
        assert!(NAMED.is_sorted_by(|one, other| one.0 < other.0));
    }
}

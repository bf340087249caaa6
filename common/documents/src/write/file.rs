//! Lines to pages, and pages to the objects of a PDF.

use libdeflater::{CompressionLvl, Compressor};
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str};
use subsetter::GlyphRemapper;

use super::typeface::{Letter, Typeface};
use super::{MOST_WRITTEN_PAGES, WriteError};

/// A4, in points.
const PAGE: Rect = Rect { x1: 0.0, y1: 0.0, x2: 595.0, y2: 842.0 };
/// 2 cm.
const MARGIN: f32 = 57.0;
const SIZE: f32 = 10.0;
const LEADING: f32 = 14.0;
/// Lines of a page.
const ROWS: usize = ((PAGE.y2 - 2.0 * MARGIN) / LEADING) as usize;
/// Width of a line in units of the font, which has 2048 of them to its size.
pub(super) const LINE_WIDTH: u32 = ((PAGE.x2 - 2.0 * MARGIN) * 2048.0 / SIZE) as u32;
/// Empty lines in a row.
const MOST_EMPTY: usize = 2;

const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const FONT: Ref = Ref::new(3);
const CID_FONT: Ref = Ref::new(4);
const DESCRIPTOR: Ref = Ref::new(5);
const FONT_FILE: Ref = Ref::new(6);
const CHARACTERS: Ref = Ref::new(7);
/// Pages and their contents in turn.
const FIRST_PAGE: i32 = 8;
const FONT_NAME: Name<'_> = Name(b"F");
/// Glyph ids are character ids.
const IDENTITY: SystemInfo<'_> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// A document that grows.
pub(super) struct File<'t> {
    typeface: &'t Typeface,
    pdf: Pdf,
    compressor: Compressor,
    pages: Vec<Ref>,
    /// Glyphs in order of their first use, and their characters.
    glyphs: GlyphRemapper,
    characters: Vec<char>,
    page: Option<Page>,
}

/// A page that grows.
struct Page {
    content: Content,
    /// Lines below its upper margin.
    rows: usize,
    /// Empty lines since the last one.
    empty: usize,
    /// Bytes of a line, which is kept for its memory.
    line: Vec<u8>,
}

impl<'t> File<'t> {
    pub(super) fn new(typeface: &'t Typeface) -> Self {
        Self {
            typeface,
            pdf: Pdf::new(),
            compressor: Compressor::new(CompressionLvl::default()),
            pages: Vec::new(),
            glyphs: GlyphRemapper::new(),
            characters: Vec::new(),
            page: None,
        }
    }

    /// Ends the current page, and begins one.
    pub(super) fn begin_page(&mut self) -> Result<(), WriteError> {
        self.end_page()?;
        if self.pages.len() >= MOST_WRITTEN_PAGES {
            return Err(WriteError::TooLong);
        }
        self.page = Some(Page::new());
        Ok(())
    }

    /// Places a line, on a new page if the current one is full. Empty lines at the edge of a page are left out.
    pub(super) fn place(&mut self, line: &[Letter]) -> Result<(), WriteError> {
        let page = self.page.get_or_insert_with(Page::new);
        if line.is_empty() {
            page.empty = (page.empty + 1).min(MOST_EMPTY);
            return Ok(());
        }
        if page.rows + page.empty >= ROWS {
            self.begin_page()?;
        }
        let page = self.page.get_or_insert_with(Page::new);
        page.line.clear();
        for letter in line {
            let glyph = self.glyphs.remap(letter.glyph);
            if usize::from(glyph) > self.characters.len() {
                self.characters.push(letter.character);
            }
            page.line.extend(glyph.to_be_bytes());
        }
        page.show();
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), WriteError> {
        let Some(page) = self.page.take() else { return Ok(()) };
        let number = FIRST_PAGE + 2 * i32::try_from(self.pages.len()).map_err(|_| WriteError::TooLong)?;
        let (id, content) = (Ref::new(number), Ref::new(number + 1));
        self.pdf.page(id).parent(PAGES).contents(content);
        let packed = self.packed(&page.finish())?;
        self.pdf.stream(content, &packed).filter(Filter::FlateDecode);
        self.pages.push(id);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Vec<u8>, WriteError> {
        self.end_page()?;
        self.pdf.catalog(CATALOG).pages(PAGES);
        let mut pages = self.pdf.pages(PAGES);
        let count = i32::try_from(self.pages.len()).map_err(|_| WriteError::TooLong)?;
        pages.kids(self.pages.iter().copied()).count(count).media_box(PAGE);
        pages.resources().fonts().pair(FONT_NAME, FONT);
        pages.finish();
        self.font()?;
        Ok(self.pdf.finish())
    }

    fn font(&mut self) -> Result<(), WriteError> {
        let name = part_name(&self.characters);
        let name = Name(name.as_bytes());
        self.pdf
            .type0_font(FONT)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(CID_FONT)
            .to_unicode(CHARACTERS);
        let measures = self.typeface.measures();
        let scaled = |units: f32| units * 1000.0 / measures.units_per_em;
        let mut font = self.pdf.cid_font(CID_FONT);
        font.subtype(CidFontType::Type2).base_font(name).system_info(IDENTITY).font_descriptor(DESCRIPTOR);
        font.cid_to_gid_map_predefined(Name(b"Identity")).default_width(0.0);
        let widths = self.glyphs.remapped_gids().map(|glyph| scaled(f32::from(self.typeface.width(glyph))));
        font.widths().consecutive(0, widths);
        font.finish();
        let [left, lower, right, upper] = measures.bounds.map(scaled);
        self.pdf
            .font_descriptor(DESCRIPTOR)
            .name(name)
            .flags(FontFlags::NON_SYMBOLIC)
            .bbox(Rect::new(left, lower, right, upper))
            .italic_angle(0.0)
            .ascent(scaled(measures.ascent))
            .descent(scaled(measures.descent))
            .cap_height(CAP_HEIGHT)
            .stem_v(STEM_WIDTH)
            .font_file2(FONT_FILE);
        let part = self.typeface.part(&self.glyphs)?;
        let packed = self.packed(&part)?;
        let length = i32::try_from(part.len()).map_err(|_| WriteError::Font)?;
        self.pdf.stream(FONT_FILE, &packed).filter(Filter::FlateDecode).pair(Name(b"Length1"), length);
        let packed = self.packed(&characters(&self.characters))?;
        self.pdf.stream(CHARACTERS, &packed).filter(Filter::FlateDecode);
        Ok(())
    }

    /// Compressed bytes. The library gives the same bytes on every processor.
    fn packed(&mut self, bytes: &[u8]) -> Result<Vec<u8>, WriteError> {
        let mut packed = vec![0; self.compressor.zlib_compress_bound(bytes.len())];
        let length = self.compressor.zlib_compress(bytes, &mut packed).map_err(|_| WriteError::TooLong)?;
        packed.truncate(length);
        Ok(packed)
    }
}

/// Height of capital letters and width of vertical stems of DejaVu Sans in thousandths of its size, which viewers use for
/// substitutes only.
const CAP_HEIGHT: f32 = 729.0;
const STEM_WIDTH: f32 = 90.0;

impl Page {
    fn new() -> Self {
        let mut content = Content::new();
        content.begin_text().set_font(FONT_NAME, SIZE).set_leading(LEADING);
        content.next_line(MARGIN, PAGE.y2 - MARGIN - SIZE);
        Self { content, rows: 0, empty: 0, line: Vec::new() }
    }

    /// Shows the line below the empty ones.
    fn show(&mut self) {
        let below = if self.rows == 0 { 0 } else { self.empty + 1 };
        for _ in 0..below {
            self.content.next_line_using_leading();
        }
        self.content.show(Str(&self.line));
        self.rows += if self.rows == 0 { 1 } else { below };
        self.empty = 0;
    }

    fn finish(mut self) -> Vec<u8> {
        self.content.end_text();
        self.content.finish().into_vec()
    }
}

/// Map from glyphs to characters, so that text can be searched and copied.
fn characters(characters: &[char]) -> Vec<u8> {
    let mut map = UnicodeCmap::new(Name(b"Characters"), IDENTITY);
    for (glyph, character) in (1_u16..).zip(characters) {
        map.pair(glyph, *character);
    }
    map.finish().into_vec()
}

/// Name of a part of the font, whose six letters tell different parts apart (ISO 32000-1, 9.6.4).
fn part_name(characters: &[char]) -> String {
    // FNV-1a.
    let fold = |hash: u64, character: &char| (hash ^ u64::from(*character)).wrapping_mul(0x100_0000_01b3);
    let mut rest = characters.iter().fold(0xcbf2_9ce4_8422_2325, fold);
    let mut name = String::new();
    for _ in 0..6 {
        name.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    name + "+DejaVuSans"
}

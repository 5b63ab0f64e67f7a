//! A shared library of nothing but names: each stands for an address that is there already.

/// `SHN_ABS`: the loader takes a symbol's value as it is.
const ABSOLUTE: u16 = 0xfff1;
/// A section of the library's own: its value counts from where the library is.
const OWN: u16 = 1;
/// `STB_GLOBAL`, `STT_FUNC`.
const GLOBAL_FUNCTION: u8 = 0x12;

const HEADER: usize = 64;
const SEGMENT: usize = 56;
const SEGMENTS: usize = 3;
const SYMBOL: usize = 24;
const TABLE_AT: usize = HEADER + SEGMENTS * SEGMENT;

/// An ELF library and the place of its symbols' values, which may be written once it is loaded.
pub struct ElfImage {
    pub file: Vec<u8>,
    symbols: usize,
}

impl ElfImage {
    /// The name of a symbol that lies where the symbols do.
    pub const TABLE: &'static str = "vramp_symbols";

    /// A library called `soname` that exports `names`, as yet nowhere, and [`ElfImage::TABLE`]. It has no code, and no segment that
    /// may be executed.
    pub fn new(soname: &str, names: &[&str]) -> ElfImage {
        let mut strings = vec![0u8];
        let mut string = |text: &str| {
            let at = strings.len();
            strings.extend(text.bytes().chain([0]));
            at
        };
        let own = string(soname);
        // The first symbol is none.
        let mut table = vec![0u8; SYMBOL];
        let mut symbol = |name: &str, section: u16, value: usize| {
            table.extend((string(name) as u32).to_le_bytes());
            table.extend([GLOBAL_FUNCTION, 0]);
            table.extend(section.to_le_bytes());
            table.extend([value as u64, 0].into_iter().flat_map(u64::to_le_bytes));
        };
        symbol(Self::TABLE, OWN, TABLE_AT);
        names.iter().for_each(|name| symbol(name, ABSOLUTE, 0));
        // One bucket, whose chain goes through all of them.
        let count = names.len() as u32 + 2;
        let next = (2..count).chain([0]);
        let hash: Vec<u8> = [1, count, 1, 0].into_iter().chain(next).flat_map(u32::to_le_bytes).collect();

        let hash_at = TABLE_AT + table.len();
        let strings_at = hash_at + hash.len();
        let dynamic_at = (strings_at + strings.len()).next_multiple_of(16);
        // DT_SONAME, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT, DT_NULL
        let entries =
            [(14, own), (4, hash_at), (5, strings_at), (6, TABLE_AT), (10, strings.len()), (11, SYMBOL), (0, 0)];
        let words = entries.iter().flat_map(|(tag, value)| [*tag, *value as u64]);
        let dynamic: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();

        let mut file = header();
        // PT_LOAD, PT_DYNAMIC, PT_GNU_STACK.
        file.extend(segment(1, 0, dynamic_at + dynamic.len(), 4096));
        file.extend(segment(2, dynamic_at, dynamic.len(), 16));
        file.extend(segment(0x6474_e551, 0, 0, 16));
        [&table, &hash, &strings].into_iter().for_each(|part| file.extend(part));
        file.resize(dynamic_at, 0);
        file.extend(dynamic);
        ElfImage { file, symbols: names.len() }
    }

    /// Says where the names are.
    ///
    /// # Safety
    /// `table` is what [`ElfImage::TABLE`] leads to in the loaded library, and nobody looks anything up in it meanwhile.
    pub unsafe fn place(&self, table: *mut u8, addresses: &[usize]) {
        assert_eq!(addresses.len(), self.symbols);
        for (index, address) in addresses.iter().enumerate() {
            // SAFETY: the table has so many symbols behind the first two, and is written to nowhere else.
            unsafe { table.add((index + 2) * SYMBOL + 8).cast::<usize>().write_unaligned(*address) };
        }
    }
}

/// The file's header: a shared library for this processor.
fn header() -> Vec<u8> {
    let machine: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    let mut header = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    header.extend([3, machine].into_iter().flat_map(u16::to_le_bytes));
    header.extend(1u32.to_le_bytes());
    header.extend([0, HEADER as u64, 0].into_iter().flat_map(u64::to_le_bytes));
    header.extend(0u32.to_le_bytes());
    let sizes = [HEADER, SEGMENT, SEGMENTS, 0, 0, 0];
    header.extend(sizes.into_iter().flat_map(|size| (size as u16).to_le_bytes()));
    header
}

/// A segment that is read and written, since the loader notes addresses in the dynamic section.
fn segment(kind: u32, at: usize, bytes: usize, align: usize) -> Vec<u8> {
    const READ_WRITE: u32 = 6;
    let words = [kind, READ_WRITE].into_iter().flat_map(u32::to_le_bytes);
    words.chain([at, at, at, bytes, bytes, align].into_iter().flat_map(|word| (word as u64).to_le_bytes())).collect()
}

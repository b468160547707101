/// Small contents that decode to very large ones, made here.
enum Bombs {
    /// A deflate block whose tables make two bits of a run of 258 zeros: 1,032 for one.
    static func deflate(runByteCount: Int) -> [UInt8] {
        let zlibHeader: [UInt8] = [0x78, 0xDA]
        let tables: [UInt8] = [
            0xED, 0xC1, 0x01, 0x01, 0x00, 0x00, 0x00, 0x82, 0x20, 0xFF, 0xAF, 0x6E, 0x48, 0x40,
            0x01,
        ]
        return zlibHeader + tables + [UInt8](repeating: 0, count: runByteCount)
    }

    /// Zstandard run-length blocks: four bytes for 128 KiB (RFC 8878 §3.1.1.2).
    static func zstd(blockCount: Int) -> [UInt8] {
        let blockByteCount: UInt32 = 128 << 10
        // Magic, a descriptor without content size, a window of 128 KiB.
        var bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
        for index in 0..<blockCount {
            let isLast: UInt32 = index == blockCount - 1 ? 1 : 0
            let header = blockByteCount << 3 | 1 << 1 | isLast
            for shift: UInt32 in [0, 8, 16] {
                bytes.append(UInt8(truncatingIfNeeded: header >> shift))
            }
            bytes.append(0)
        }
        return bytes
    }

    /// 256 MiB of zeros in 421 bytes of brotli: a head, the same 16 MiB over and over, an end.
    static let brotli = Samples.bytes(
        "y///P/gnAOKxQCD3/o/" + repeatedBlocks
    )

    private static let repeatedBlocks = """
        //3/wTwDEYRGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje\
        //H//w/+CYA4LADQvf/j//8f/BMAcVgAoHv/x///P/gnAOKwAED3/o///3/wTwDEYQGA7v0f////4J8AiMMC\
        AN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4LADQvf/j//8f/BMA\
        cVgAoHv/x///P/gnAOKwAED3/o///3/wTwDEYQGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+D\
        fwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4LADQvf/j//8f/BMAcVgAoHv/x///P/gnAOKwAED3/o//\
        /3/wTwDEYQGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje\
        //H//w/+CYA4LADQvf/j//8f/BMAcVgAoHv/Nw==
        """
}

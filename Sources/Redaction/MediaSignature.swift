/// Whether bytes are the images, sounds, films or fonts that they are said to be: those are not
/// searched, and anything could be declared as one.
enum MediaSignature {
    /// Formats begin with such bytes, or have them from the fifth byte on.
    private static let signatures: [(bytes: [UInt8], offset: Int)] = [
        ([0x89, 0x50, 0x4E, 0x47], 0), ([0xFF, 0xD8, 0xFF], 0), (Array("GIF8".utf8), 0),
        (Array("RIFF".utf8), 0), (Array("BM".utf8), 0), ([0, 0, 1, 0], 0), ([0, 0, 2, 0], 0),
        (Array("II*\0".utf8), 0), (Array("MM\0*".utf8), 0), ([0xFF, 0x0A], 0),
        ([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20], 0), (Array("ftyp".utf8), 4),
        (Array("OggS".utf8), 0), (Array("ID3".utf8), 0), (Array("fLaC".utf8), 0),
        ([0xFF, 0xFB], 0), ([0xFF, 0xF3], 0), ([0xFF, 0xF2], 0), ([0xFF, 0xF1], 0),
        ([0xFF, 0xF9], 0), ([0x1A, 0x45, 0xDF, 0xA3], 0), ([0, 0, 1, 0xBA], 0), ([0x47, 0x40], 0),
        (Array("styp".utf8), 4), (Array("moof".utf8), 4), (Array("wOFF".utf8), 0),
        (Array("wOF2".utf8), 0), ([0, 1, 0, 0], 0), (Array("OTTO".utf8), 0),
        (Array("ttcf".utf8), 0), (Array("true".utf8), 0), (Array("MThd".utf8), 0),
    ]

    /// Whether a body begins as media do.
    static func isThere(_ bytes: Span<UInt8>) -> Bool {
        let start = bytes.extracting(first: 64).withUnsafeBufferPointer { Array($0) }
        return signatures.contains { signature in
            start.dropFirst(signature.offset).starts(with: signature.bytes)
        }
    }
}

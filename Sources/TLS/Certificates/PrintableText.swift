/// Makes text from a peer safe for a terminal, a log or a page.
enum PrintableText {
    /// Keeps printable ASCII and replaces every other byte by `?`.
    static func ascii(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}

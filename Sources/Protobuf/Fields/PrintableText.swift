/// Detects bytes that are readable text.
enum PrintableText {
    /// Decodes UTF-8 without control characters other than tabs and line ends; otherwise nil.
    static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let isPrintable = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: true
            case 0..<0x20, 0x7F..<0xA0: false
            default: true
            }
        }
        return isPrintable ? text : nil
    }
}

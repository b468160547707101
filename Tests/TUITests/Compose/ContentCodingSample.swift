import ProxydContentCoding

enum ContentCodingSample {
    static func gzip(_ text: String) throws -> [UInt8] {
        try ContentEncoder.encode(Array(text.utf8).span, as: .gzip)
    }
}

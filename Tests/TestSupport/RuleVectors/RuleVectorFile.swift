public import Foundation

/// The vectors of rules that lie beside the repository.
public enum RuleVectorFile {
    /// Where they are; nil where they are not there.
    public static let url: URL? = {
        var directory = URL(filePath: #filePath).deletingLastPathComponent()
        while directory.path != "/" {
            let file = directory.appending(path: "../shared/vectors/rules/rules-vectors.json")
                .standardized
            if FileManager.default.fileExists(atPath: file.path) { return file }
            directory.deleteLastPathComponent()
        }
        return nil
    }()

    /// Whether they are there: a test that needs them is skipped otherwise.
    public static var isThere: Bool { url != nil }

    /// Some lists of the file; nil where it is not there.
    public static func read<Vectors: Decodable>(
        _ type: Vectors.Type, with decoder: JSONDecoder = JSONDecoder()
    ) throws -> Vectors? {
        try url.map { try decoder.decode(type, from: Data(contentsOf: $0)) }
    }

    /// The bytes of a hexadecimal text.
    public static func bytes(hex text: String) -> [UInt8] {
        let digits = Array(text)
        return stride(from: 0, to: digits.count, by: 2).map { start in
            UInt8(String(digits[start..<min(start + 2, digits.count)]), radix: 16) ?? 0
        }
    }
}

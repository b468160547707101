/// Finds credentials in bytes of unknown syntax: values of names that tell, credentials in URLs,
/// and those with a shape of their own. It does not parse its input, so it hides too much rather
/// than too little.
///
/// The bytes are searched as they are, and once more at each level of escapes; see `DecodedText`.
struct SecretScanner: Sendable {
    /// A text that still has escapes below as many levels is hidden as a whole.
    private static let levelCountMax = 8
    private static let placeholder = Array(Redaction.placeholder.utf8)

    private let names: SecretNames

    init(_ names: SecretNames) { self.names = names }

    /// The bytes without credentials; nil if there are none.
    func redacted(_ bytes: [UInt8], syntax: TextSyntax = .free) -> [UInt8]? {
        let found = secrets(in: bytes.span, syntax: syntax)
        return found.isEmpty ? nil : SecretScanner.replacing(found, in: bytes)
    }

    /// Whether there are credentials.
    func holdsSecrets(_ bytes: Span<UInt8>) -> Bool { !secrets(in: bytes).isEmpty }

    /// Bytes with the placeholder in place of ranges.
    static func replacing(_ ranges: [Range<Int>], in bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var copied = 0
        for range in ranges {
            output += bytes[copied..<range.lowerBound]
            output += placeholder
            copied = range.upperBound
        }
        return output + bytes[copied...]
    }

    /// The ranges of credentials, in order.
    func secrets(in bytes: Span<UInt8>, syntax: TextSyntax = .free) -> [Range<Int>] {
        let finder = SecretFinder(names, syntax: syntax)
        var found = finder.secrets(in: bytes)
        guard var level = DecodedText(bytes) else { return SecretScanner.merged(found) }
        var count = 0
        while level.decodeLevel() {
            count += 1
            guard count <= SecretScanner.levelCountMax else { return [0..<bytes.count] }
            found += finder.secrets(in: level.bytes.span).map(level.source)
        }
        return SecretScanner.merged(found)
    }

    private static func merged(_ found: [Range<Int>]) -> [Range<Int>] {
        guard found.count > 1 else { return found }
        var merged: [Range<Int>] = []
        for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] =
                    last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}

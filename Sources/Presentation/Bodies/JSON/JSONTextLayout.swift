internal import ProxydParameterCoding

/// Formats JSON text without changing its tokens: only the white space between them changes. Text
/// that is not JSON loses nothing but such white space.
package enum JSONTextLayout {
    /// Deeper levels are not indented further.
    private static let indentedLevelMax = 64

    /// Writes one member or element per line, each level indented by two more spaces.
    package static func indented(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count * 2)
        var level = 0
        var former: JSONTokenizer.Kind?
        forEachToken(in: bytes) { kind, token in
            if kind == .closer { level = max(0, level - 1) }
            // Empty objects and arrays stay on their line.
            if (former == .opener) != (kind == .closer) { breakLine(level, &output) }
            output += token
            switch kind {
            case .opener: level += 1
            case .comma: breakLine(level, &output)
            case .colon: output.append(0x20)
            case .closer, .string, .scalar: break
            }
            former = kind
        }
        return output
    }

    /// Writes everything on one line, without white space between tokens.
    package static func compact(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        forEachToken(in: bytes) { _, token in output += token }
        return output
    }

    private static func forEachToken(
        in bytes: [UInt8], _ body: (JSONTokenizer.Kind, ArraySlice<UInt8>) -> Void
    ) {
        var tokenizer = JSONTokenizer()
        var index = 0
        while let token = tokenizer.next(in: bytes.span, from: &index) {
            body(token.kind, bytes[token.range])
        }
    }

    private static func breakLine(_ level: Int, _ output: inout [UInt8]) {
        output.append(0x0A)
        output += [UInt8](repeating: 0x20, count: min(level, indentedLevelMax) * 2)
    }
}

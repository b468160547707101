/// Formats a GraphQL document with one field per line and two spaces per level.
public struct GraphQLPrinter {
    /// The maximum size in bytes; longer documents are returned unchanged.
    static let byteCountMax = 256 << 10
    /// Deeper levels are not indented further: the output stays in proportion to the document.
    private static let indentedLevelMax = 32

    private let bytes: [UInt8]
    private var output: [UInt8] = []
    private var level = 0
    private var roundDepth = 0
    private var before: GraphQLToken?
    private var beforeThat: GraphQLToken?

    /// The formatted document, including its comments; unchanged if it is too long.
    public static func text(of document: String) -> String {
        let bytes = Array(document.utf8)
        guard bytes.count <= byteCountMax else { return document }
        var printer = GraphQLPrinter(bytes: bytes)
        var scanner = GraphQLScanner(bytes)
        while let token = scanner.next() { printer.add(token) }
        return String(decoding: printer.output, as: UTF8.self)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func add(_ token: GraphQLToken) {
        if token.isPunctuator("}"), roundDepth == 0 { level = max(0, level &- 1) }
        switch gap(before: token) {
        case .none: break
        case .space: output.append(0x20)
        case .comma: output += [0x2C, 0x20]
        case .line: beginLine()
        case .paragraph:
            output.append(0x0A)
            beginLine()
        }
        output += bytes[token.range]
        count(token)
        beforeThat = before
        before = token
    }

    private mutating func beginLine() {
        output.append(0x0A)
        let count = min(level, GraphQLPrinter.indentedLevelMax) &* 2
        output += Array(repeating: 0x20, count: count)
    }

    private mutating func count(_ token: GraphQLToken) {
        guard case .punctuator(let byte) = token.kind else { return }
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["): roundDepth &+= 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"): roundDepth = max(0, roundDepth &- 1)
        case UInt8(ascii: "{") where roundDepth == 0: level &+= 1
        default: break
        }
    }

    private enum Gap { case none, space, comma, line, paragraph }

    private func gap(before token: GraphQLToken) -> Gap {
        guard let before else { return .none }
        if before.kind == .comment { return .line }
        if token.kind == .comment {
            return level == 0 && isEndOfDefinition(before) ? .paragraph : .line
        }
        if roundDepth > 0 || token.isPunctuator(")") || token.isPunctuator("]") {
            return isTight(before, token) ? .none : needsComma(before, token) ? .comma : .space
        }
        if token.isPunctuator("}") { return .line }
        if level == 0, isEndOfDefinition(before) { return .paragraph }
        if before.isPunctuator("{") || before.isPunctuator("}") { return .line }
        if level > 0, beginsSelection(token, before) { return .line }
        return isTight(before, token) ? .none : .space
    }

    private func isEndOfDefinition(_ token: GraphQLToken) -> Bool { token.isPunctuator("}") }

    /// Whether a name or spread starts a line, not belonging to the token before it.
    private func beginsSelection(_ token: GraphQLToken, _ before: GraphQLToken) -> Bool {
        guard token.kind == .name || token.kind == .spread else { return false }
        if before.isPunctuator(":") || before.isPunctuator("@") || before.kind == .spread {
            return false
        }
        return !(before.kind == .name && text(before) == "on" && beforeThat?.kind == .spread)
    }

    private func text(_ token: GraphQLToken) -> String {
        String(decoding: bytes[token.range], as: UTF8.self)
    }

    /// Whether two arguments, variables or elements are adjacent: a comma improves readability.
    private func needsComma(_ before: GraphQLToken, _ token: GraphQLToken) -> Bool {
        let beginsOne =
            token.kind == .name || token.kind == .string || token.kind == .number
            || token.isPunctuator("$") || token.isPunctuator("{") || token.isPunctuator("[")
        guard beginsOne, case .punctuator(let byte) = before.kind else { return beginsOne }
        return ")]}!".utf8.contains(byte)
    }

    private func isTight(_ before: GraphQLToken, _ token: GraphQLToken) -> Bool {
        for closing in [")", "]", "!", ":"] as [Unicode.Scalar] where token.isPunctuator(closing) {
            return true
        }
        for opening in ["(", "[", "@", "$"] as [Unicode.Scalar] where before.isPunctuator(opening) {
            return true
        }
        if token.isPunctuator("(") { return before.kind == .name }
        return before.kind == .spread && token.kind == .name && text(token) != "on"
    }
}

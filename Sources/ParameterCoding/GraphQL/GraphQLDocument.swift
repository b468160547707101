/// The operations of a GraphQL document, found without a complete parse.
///
/// ```
/// between definitions ──query, mutation, subscription, {──▶ operation ──▶ its { … }
///          ▲  └──fragment──▶ its { … }                                     │
///          └───────────────────────────────────────────────────────────────┘
/// ```
public struct GraphQLDocument: Sendable, Hashable {
    /// The number of bytes that are scanned; the rest is ignored.
    static let byteCountMax = 1 << 20
    static let operationCountMax = 100

    /// The operations in document order; empty if the text is not a GraphQL document.
    public let operations: [GraphQLOperation]

    /// Scans a document. A truncated one has the operations that start in it.
    public init(_ text: some Sequence<UInt8>) {
        let bytes = Array(text.prefix(GraphQLDocument.byteCountMax))
        var reader = Reader(bytes)
        operations = reader.operations()
    }

    /// The operation that a request selects: the one with a name, otherwise the first.
    public func operation(named name: String?) -> GraphQLOperation? {
        guard let name, GraphQLOperation.isName(name) else { return operations.first }
        return operations.first { $0.name == name }
            ?? operations.first.map { GraphQLOperation(kind: $0.kind, name: name) }
    }

    private struct Reader {
        private let bytes: [UInt8]
        private var scanner: GraphQLScanner
        private var ahead: GraphQLToken?

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            scanner = GraphQLScanner(bytes)
            ahead = scanner.nextMeaningful()
        }

        private mutating func take() -> GraphQLToken? {
            defer { ahead = scanner.nextMeaningful() }
            return ahead
        }

        private func text(_ token: GraphQLToken) -> String {
            String(decoding: bytes[token.range], as: UTF8.self)
        }

        mutating func operations() -> [GraphQLOperation] {
            var operations: [GraphQLOperation] = []
            while let token = ahead, operations.count < GraphQLDocument.operationCountMax {
                if token.isPunctuator("{") {
                    guard isSelectionAhead() else { return operations }
                    operations.append(GraphQLOperation(kind: .query, name: nil))
                } else if token.kind == .name,
                    let kind = GraphQLOperation.Kind(rawValue: text(token))
                {
                    _ = take()
                    guard let operation = operation(kind) else { return operations }
                    operations.append(operation)
                } else if token.kind == .name, text(token) == "fragment" {
                    _ = take()
                } else {
                    return operations
                }
                skipDefinition()
            }
            return operations
        }

        /// Parses an operation after its keyword; nil if the keyword is a word of another text.
        private mutating func operation(_ kind: GraphQLOperation.Kind) -> GraphQLOperation? {
            guard let token = ahead else { return nil }
            guard token.kind == .name else {
                return isOpening(token) ? GraphQLOperation(kind: kind, name: nil) : nil
            }
            let name = text(token)
            _ = take()
            guard let next = ahead, isOpening(next), GraphQLOperation.isName(name) else {
                return nil
            }
            return GraphQLOperation(kind: kind, name: name)
        }

        private func isOpening(_ token: GraphQLToken) -> Bool {
            token.isPunctuator("{") || token.isPunctuator("(") || token.isPunctuator("@")
        }

        /// Whether `{` starts a selection set, not an object such as in JSON.
        private func isSelectionAhead() -> Bool {
            var look = scanner
            guard let first = look.nextMeaningful() else { return false }
            if first.kind == .spread { return true }
            guard first.kind == .name else { return false }
            guard let second = look.nextMeaningful() else { return true }
            if second.isPunctuator(":") { return look.nextMeaningful()?.kind == .name }
            switch second.kind {
            case .name, .spread: return true
            case .punctuator(let byte): return "{}(@".utf8.contains(byte)
            default: return false
            }
        }

        /// Skips the selection set of a definition.
        private mutating func skipDefinition() {
            var roundDepth = 0
            var curlyDepth = 0
            while let token = take() {
                switch token.kind {
                case .punctuator(UInt8(ascii: "(")), .punctuator(UInt8(ascii: "[")):
                    roundDepth &+= 1
                case .punctuator(UInt8(ascii: ")")), .punctuator(UInt8(ascii: "]")):
                    roundDepth = max(0, roundDepth &- 1)
                case .punctuator(UInt8(ascii: "{")) where roundDepth == 0: curlyDepth &+= 1
                case .punctuator(UInt8(ascii: "}")) where roundDepth == 0:
                    curlyDepth &-= 1
                    if curlyDepth <= 0 { return }
                default: break
                }
            }
        }
    }
}

/// A GraphQL operation, as its document or request names it.
public struct GraphQLOperation: Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case query
        case mutation
        case subscription
    }

    /// The type; nil if the request has no document.
    public var kind: Kind?
    /// The name, consisting of ASCII letters, digits and `_`; nil if it has none.
    public var name: String?

    /// The maximum length of a name, in bytes.
    public static let nameByteCountMax = 256

    public init(kind: Kind?, name: String?) {
        self.kind = kind
        self.name = name
    }

    /// `query GetUser`; unknown parts are left out, or `persisted query` if nothing is known.
    public var description: String {
        let parts = [kind?.rawValue, name].compactMap { $0 }
        return parts.isEmpty ? "persisted query" : parts.joined(separator: " ")
    }

    /// Whether a text is a valid name (GraphQL, October 2021, §2.1.9) within the maximum length.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first),
            text.utf8.count <= nameByteCountMax
        else { return false }
        return text.utf8.allSatisfy(GraphQLScanner.isNameByte)
    }
}

/// Splits a GraphQL document into tokens. Never fails: an invalid byte becomes a punctuator.
struct GraphQLScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next token; nil at the end.
    mutating func next() -> GraphQLToken? {
        while let byte = peek() {
            if isAt("\u{FEFF}") {
                position &+= 3
            } else if GraphQLScanner.isIgnored(byte) {
                position &+= 1
            } else {
                break
            }
        }
        guard let byte = peek() else { return nil }
        let start = position
        let kind = kind(byte)
        return GraphQLToken(kind: kind, range: start..<position)
    }

    /// The next token that is not a comment.
    mutating func nextMeaningful() -> GraphQLToken? {
        while let token = next() {
            if token.kind != .comment { return token }
        }
        return nil
    }

    private mutating func kind(_ byte: UInt8) -> GraphQLToken.Kind {
        switch byte {
        case UInt8(ascii: "#"):
            skip { $0 != 0x0A && $0 != 0x0D }
            return .comment
        case UInt8(ascii: "\""):
            skipString()
            return .string
        case UInt8(ascii: ".") where isAt("..."):
            position &+= 3
            return .spread
        case UInt8(ascii: "-"), 0x30...0x39:
            position &+= 1
            skip { GraphQLScanner.isNameByte($0) || $0 == 0x2E || $0 == 0x2B || $0 == 0x2D }
            return .number
        case _ where GraphQLScanner.isNameByte(byte):
            skip(GraphQLScanner.isNameByte)
            return .name
        case 0x80...:
            // Letters of other scripts are not part of the language: keep a word of them together.
            skip { $0 >= 0x80 }
            return .punctuator(byte)
        default:
            position &+= 1
            return .punctuator(byte)
        }
    }

    private mutating func skipString() {
        if isAt("\"\"\"") { return skipBlockString() }
        position &+= 1
        while let byte = peek() {
            position &+= 1
            switch byte {
            case UInt8(ascii: "\""), 0x0A, 0x0D: return
            case UInt8(ascii: "\\"): if peek() != nil { position &+= 1 }
            default: break
            }
        }
    }

    private mutating func skipBlockString() {
        position &+= 3
        while peek() != nil {
            if isAt("\"\"\"") {
                position &+= 3
                return
            }
            position &+= isAt("\\\"\"\"") ? 4 : 1
        }
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isAt(_ text: StaticString) -> Bool {
        let end = position &+ text.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        return bytes[position..<end].elementsEqual(text.description.utf8)
    }

    private mutating func skip(_ isPart: (UInt8) -> Bool) {
        while let byte = peek(), isPart(byte) { position &+= 1 }
    }

    /// White space, line ends, commas and the byte order mark are insignificant (§2.1.8).
    private static func isIgnored(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x0A, 0x0D, 0x20, 0x2C: true
        default: false
        }
    }

    /// An ASCII letter or digit, or `_`.
    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
        default: false
        }
    }
}

/// A token of a GraphQL document (October 2021, §2.1).
struct GraphQLToken: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case name
        /// One of `! $ & ( ) : = @ [ ] { | }`, or an invalid byte.
        case punctuator(UInt8)
        /// `...`
        case spread
        case number
        /// A string or block string; an unterminated one ends with the document.
        case string
        /// `# …` up to the end of the line.
        case comment
    }

    let kind: Kind
    /// The token's range in the document.
    let range: Range<Int>

    func isPunctuator(_ scalar: Unicode.Scalar) -> Bool {
        kind == .punctuator(UInt8(ascii: scalar))
    }
}

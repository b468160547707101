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
    /// The maximum number of operations per document.
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

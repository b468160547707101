public import ProxydHTTPModel

/// A filter over the messages of an exchange, as people type it: `price kind=text dir=to_client`.
///
/// It shares the grammar of `Filter`; its fields are described in `MessageFilterManual`. A filter
/// is a pure value and is evaluated message by message.
public struct MessageFilter: Sendable {
    /// The filter as it was typed.
    public let text: String
    private let tree: FilterTree<MessageTest>

    public static let everything = MessageFilter(text: "", tree: .everything)

    /// Whether this is the empty filter.
    public var matchesEverything: Bool {
        if case .everything = tree { return true }
        return false
    }

    /// Parses a filter. An empty one lets everything pass.
    public static func parse(_ text: String) throws(FilterError) -> MessageFilter {
        MessageFilter(text: text, tree: try FilterParser.parse(text, MessageTestBuilder()).tree)
    }

    public func matches(_ subject: some MessageFilterSubject) -> Bool {
        tree.decision { FilterDecision($0.holds(for: subject)) } == .passes
    }
}

/// The input of a message filter: one message of a WebSocket, an event stream or a gRPC call,
/// either stored or live.
public protocol MessageFilterSubject {
    var direction: MessageRecord.Direction { get }
    /// The kind of message, such as text, event or closing frame.
    var kind: MessageRecord.Kind { get }
    /// The length of the message in bytes, whether or not it was stored.
    var byteCount: Int64 { get }
    /// The start of the content, as far as it was stored and read: an event as its lines, a closing
    /// frame with its code first. Requested only if the filter looks into messages.
    var bytes: [UInt8] { get }
    /// The protocol rule that the message violates, or nil if it violates none.
    var problem: String? { get }
}

extension MessageFilterSubject {
    /// The code of a WebSocket's closing frame: 1005 if the frame has none (RFC 6455 §7.4.1); nil
    /// for other messages.
    public var closeCode: Int64? {
        guard kind == .close else { return nil }
        let bytes = bytes
        guard bytes.count >= 2 else { return 1_005 }
        return Int64(bytes[0]) << 8 | Int64(bytes[1])
    }
}

/// One test of one message. If the message does not have the tested value, the test fails.
package enum MessageTest: Sendable {
    case text(MessageTextColumn, FilterTextMatch)
    case number(MessageNumberColumn, FilterNumberRange)

    func holds(for message: some MessageFilterSubject) -> Bool {
        switch self {
        case .text(let column, let match): column.holds(match, message)
        case .number(let column, let range): column.number(of: message).map(range.contains) ?? false
        }
    }
}

package enum MessageTextColumn: Sendable, Hashable, CaseIterable {
    /// The content: the reason of a closing frame, an event as its lines.
    case text
    /// `text`, `event`, `grpc`…
    case kind
    /// `to_server` or `to_client`.
    case direction
    /// The name of a server-sent event: `message` if the event has no name.
    case event
    /// The id of a server-sent event.
    case id
    /// The data of a server-sent event, its lines joined by line feeds.
    case data
    case problem

    func holds(_ match: FilterTextMatch, _ message: some MessageFilterSubject) -> Bool {
        switch self {
        case .text:
            let bytes = message.bytes.span
            let isClose = message.kind == .close
            return match.holds(for: isClose ? bytes.extracting(droppingFirst: 2) : bytes)
        case .kind: return match.holds(for: message.kind.name)
        case .direction: return match.holds(for: message.direction.name)
        case .problem: return message.problem.map(match.holds) ?? false
        case .event, .id, .data:
            guard message.kind == .event else { return false }
            return field(of: EventLines(message.bytes)).map { match.holds(for: $0.span) } ?? false
        }
    }

    private func field(of event: EventLines) -> [UInt8]? {
        switch self {
        case .event: event.name
        case .id: event.id
        default: event.data
        }
    }
}

package enum MessageNumberColumn: Sendable, Hashable, CaseIterable {
    case byteCount
    case closeCode

    func number(of message: some MessageFilterSubject) -> Int64? {
        switch self {
        case .byteCount: message.byteCount
        case .closeCode: message.closeCode
        }
    }
}

/// Turns `field operator value` into a test of messages.
struct MessageTestBuilder: FilterVocabulary {
    static let exampleField = MessageField.text.rawValue
    static let hasOperators = false

    static func naming(of field: String) -> FilterFieldNaming? {
        MessageField(name: field) == nil ? nil : FilterFieldNaming.none
    }

    func word(_ text: String) -> FilterTree<MessageTest> {
        .test(.text(.text, .contains(ByteSearch(text))))
    }

    func test(
        _ found: MitmproxyOperator, _ value: FilterToken.Value?, column: Int
    ) throws(FilterError) -> FilterTree<MessageTest> {
        throw FilterError(column: column, "messages have no ~\(found.rawValue)")
    }

    func test(
        field: FilterToken.Value, name: FilterToken.Value?, _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) throws(FilterError) -> FilterTree<MessageTest> {
        guard let known = MessageField(name: field.text) else {
            throw unknown(field, name, comparison, value)
        }
        if let name {
            throw FilterError(column: name.column, "\(known.rawValue) takes no name; quote it")
        }
        switch known.target {
        case .text(let column): return .test(.text(column, try match(known, comparison, value)))
        case .number(let column, let units):
            return .test(.number(column, try range(known, units, comparison, value)))
        }
    }

    private func unknown(
        _ field: FilterToken.Value, _ name: FilterToken.Value?, _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) -> FilterError {
        let written = field.text + (name?.text ?? "")
        return .unknownField(
            written, of: " of messages", at: field.column, near: MessageField.near(field.text),
            searched: "text", test: "\(written)\(comparison.rawValue)\(value.text)")
    }

    private func match(
        _ field: MessageField, _ comparison: FilterOperator, _ value: FilterToken.Value
    ) throws(FilterError) -> FilterTextMatch {
        switch comparison {
        case .contains: return .contains(ByteSearch(value.text))
        case .equals:
            guard field.values.isEmpty || field.values.contains(value.text) else {
                throw FilterError(
                    column: value.column,
                    "\(field.rawValue) is one of \(field.values.joined(separator: ", "))")
            }
            return .equals(value.text)
        case .matches:
            let isForBodies = field == .text || field == .data
            return .regex(
                try LinearRegex.parse(value, ignoresCase: false, isForBodies: isForBodies))
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            throw FilterError(
                column: value.column, "\(field.rawValue) is text: compare it with : = or ~")
        }
    }

    private func range(
        _ field: MessageField, _ units: [String: Int64], _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) throws(FilterError) -> FilterNumberRange {
        if let quantity = FilterQuantity(value.text, units: units),
            let range = FilterQuantity.range(from: quantity.value, to: quantity.value, comparison)
        {
            return range
        }
        let kind = units.count > 1 ? "a size such as 10k or 2M" : "a whole number"
        throw FilterError(column: value.column, "\(field.rawValue) takes = < <= > >= and \(kind)")
    }
}

/// A field of a message filter; the raw value is its written name.
enum MessageField: String, Sendable, CaseIterable {
    case text, kind, direction, dir, bytes, event, id, data, code, problem

    /// Looks up a field by its name, ignoring case.
    init?(name: String) { self.init(rawValue: name.lowercased()) }

    static func near(_ name: String) -> [String] {
        NearNames.of(name.lowercased(), among: allCases.map(\.rawValue))
    }

    /// The part of a message that a test of the field looks at.
    enum Target {
        case text(MessageTextColumn)
        case number(MessageNumberColumn, units: [String: Int64])
    }

    var target: Target {
        switch self {
        case .text: .text(.text)
        case .kind: .text(.kind)
        case .direction, .dir: .text(.direction)
        case .event: .text(.event)
        case .id: .text(.id)
        case .data: .text(.data)
        case .problem: .text(.problem)
        case .bytes: .number(.byteCount, units: FilterQuantity.sizeUnits)
        case .code: .number(.closeCode, units: ["": 1])
        }
    }

    /// All possible values if there are only a few; otherwise empty.
    var values: [String] {
        switch self {
        case .kind: MessageRecord.Kind.allCases.map(\.name)
        case .direction, .dir: MessageRecord.Direction.allCases.map(\.name)
        default: []
        }
    }
}

/// Extracts the fields of one server-sent event from its lines (HTML standard, §9.2.6). Unneeded
/// text is not copied.
struct EventLines {
    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D
    private static let colon: UInt8 = 0x3A
    private static let space: UInt8 = 0x20

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The event's name, from its last `event` field; `message` if that is missing or empty.
    var name: [UInt8] {
        var name: [UInt8] = []
        forEach("event") { name = Array($0) }
        return name.isEmpty ? Array("message".utf8) : name
    }

    /// The last id of the event, or nil if it has none. Ids with a NUL are ignored.
    var id: [UInt8]? {
        var id: [UInt8]?
        forEach("id") { value in
            if !value.contains(0) { id = Array(value) }
        }
        return id
    }

    /// The data lines joined by line feeds, or nil if there are none.
    var data: [UInt8]? {
        var data: [UInt8]?
        forEach("data") { value in
            if data == nil { data = Array(value) } else { data? += [EventLines.lineFeed] + value }
        }
        return data
    }

    private func forEach(_ name: StaticString, _ body: (ArraySlice<UInt8>) -> Void) {
        let wanted = Array(name.description.utf8)
        let isEnd = { $0 == EventLines.lineFeed || $0 == EventLines.carriageReturn }
        for line in bytes.split(omittingEmptySubsequences: true, whereSeparator: isEnd) {
            let field = line.prefix { $0 != EventLines.colon }
            guard field.elementsEqual(wanted) else { continue }
            var value = line.dropFirst(field.count + 1)
            if value.first == EventLines.space { value = value.dropFirst() }
            body(value)
        }
    }
}

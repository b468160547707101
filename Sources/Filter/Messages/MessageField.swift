internal import ProxydHTTPModel

/// A field of messages by the name people write.
enum MessageField: String, Sendable, CaseIterable {
    case text, kind, direction, dir, bytes, event, id, data, code, problem

    /// The field of a name in any case.
    init?(name: String) { self.init(rawValue: name.lowercased()) }

    /// The fields whose names look like a mistyped one, best first.
    static func near(_ name: String) -> [String] {
        NearNames.of(name.lowercased(), among: allCases.map(\.rawValue))
    }

    /// What a test of it looks at.
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

    /// All values that it can have, where they are few; else empty.
    var values: [String] {
        switch self {
        case .kind: MessageRecord.Kind.allCases.map(\.name)
        case .direction, .dir: MessageRecord.Direction.allCases.map(\.name)
        default: []
        }
    }
}

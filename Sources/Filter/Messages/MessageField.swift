internal import ProxydHTTPModel

/// A field of a message filter; the raw value is its written name.
enum MessageField: String, Sendable, CaseIterable {
    case text, kind, direction, dir, bytes, event, id, data, code, problem

    /// Looks up a field by its name, ignoring case.
    init?(name: String) { self.init(rawValue: name.lowercased()) }

    /// The fields with names similar to a mistyped one, best match first.
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

/// Extracts the fields of one server-sent event from its lines (HTML standard, §9.2.6). Unneeded
/// text is not copied.
struct EventLines {
    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D
    private static let colon: UInt8 = 0x3A
    private static let space: UInt8 = 0x20

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The event's name, taken from its last `event` field; `message` if there is none or it is
    /// empty.
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

internal import ProxydHTTPWire

/// An event stream read word by word as WHATWG HTML §9.2.6 says, all of it at once.
struct EventStreamModel {
    private(set) var events: [ServerSentEvent] = []
    private(set) var lastEventID = ""
    private(set) var retryMs: Int64?
    private var data: [UInt8] = []
    private var eventType: [UInt8] = []
    private var idBuffer: [UInt8] = []

    init(_ stream: [UInt8]) {
        var rest = stream[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
            let line = Array(rest[..<end])
            let isPair = rest[end] == 0x0D && rest.dropFirst(line.count + 1).first == 0x0A
            rest = rest.dropFirst(line.count + (isPair ? 2 : 1))
            take(line)
        }
    }

    private mutating func take(_ line: [UInt8]) {
        if line.isEmpty { return dispatch() }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return take(line, []) }
        if colon == 0 { return }
        var value = line[(colon + 1)...]
        if value.first == 0x20 { value = value.dropFirst() }
        take(Array(line[..<colon]), Array(value))
    }

    private mutating func take(_ name: [UInt8], _ value: [UInt8]) {
        if name == Array("event".utf8) { eventType = value }
        if name == Array("data".utf8) { data += value + [0x0A] }
        if name == Array("id".utf8), !value.contains(0) { idBuffer = value }
        if name == Array("retry".utf8), !value.isEmpty, value.allSatisfy({ 0x30...0x39 ~= $0 }) {
            retryMs = Int64(String(decoding: value, as: UTF8.self)) ?? .max
        }
    }

    private mutating func dispatch() {
        lastEventID = String(decoding: idBuffer, as: UTF8.self)
        defer { (data, eventType) = ([], []) }
        guard !data.isEmpty else { return }
        var event = ServerSentEvent()
        event.data = data.dropLast()
        event.event = eventType.isEmpty ? nil : String(decoding: eventType, as: UTF8.self)
        event.id = lastEventID.isEmpty ? nil : lastEventID
        events.append(event)
    }
}

internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Finds captures by the requests that they answer, and remembers which were served.
///
/// It stores the number of each capture and the hashes of its compared parts, but no body: about
/// 200 bytes each, so 200 MB for the maximum number.
public struct MockTable: Sendable {
    public static let captureCountMax = 1_000_000
    /// The maximum number of different requests to one place that are compared to find the nearest.
    static let comparedCountMax = 10_000
    /// The maximum number of servers tried for a request that names none.
    static let originCountMax = 100

    /// The captures of one request.
    private struct Group: Sendable {
        let key: MockKey
        /// Indexes of captures, which form a linked list.
        var first: Int32
        var last: Int32
        /// The capture to serve next; nil if all were served.
        var next: Int32?
        /// The next group whose requests have the same method, scheme, host, port and path.
        var nextAtPlace: Int32?
    }

    private struct Capture: Sendable {
        let id: Int64
        /// The next capture of the same request.
        var next: Int32?
        var wasServed = false
    }

    private let matching: MockMatching
    private let order: MockOrder
    private var captures: [Capture] = []
    private var groups: [Group] = []
    /// The hashes of the compared header fields of all groups, one group after another.
    private var headerHashes: [UInt64] = []
    private var groupsByKey: [MockKey: Int32] = [:]
    private var groupsByPlace: [UInt64: (first: Int32, last: Int32)] = [:]
    /// The first servers that occur among the captures, in order.
    private var origins: [MockOrigin] = []

    /// How many requests got a capture since the last start.
    public private(set) var servedCount = 0
    /// How many requests got none since the last start.
    public private(set) var unmatchedCount = 0

    public init(_ matching: MockMatching, order: MockOrder = .thenLast) {
        self.matching = matching
        self.order = order
    }

    public var count: Int { captures.count }

    /// Adds a capture; must be called in the order in which they were recorded.
    /// - Returns: false if the maximum number is reached.
    @discardableResult
    public mutating func add(_ request: MockRequest, id: Int64) -> Bool {
        guard captures.count < MockTable.captureCountMax else { return false }
        let hashes = MockKey.headerHashes(of: request, matching)
        let key = MockKey(request, matching, headerHashes: hashes)
        let place = Int32(truncatingIfNeeded: captures.count)
        captures.append(Capture(id: id))
        addOrigin(MockOrigin(request.url))
        guard let number = groupsByKey[key] else {
            headerHashes += hashes
            addGroup(Group(key: key, first: place, last: place, next: place))
            return true
        }
        let group = groups[Int(number)]
        captures[Int(group.last)].next = place
        groups[Int(number)].last = place
        // All others were served, so it is next.
        if group.next == nil { groups[Int(number)].next = place }
        return true
    }

    private mutating func addOrigin(_ origin: MockOrigin) {
        guard origins.count < MockTable.originCountMax, !origins.contains(origin) else { return }
        origins.append(origin)
    }

    private mutating func addGroup(_ group: Group) {
        let number = Int32(truncatingIfNeeded: groups.count)
        groups.append(group)
        groupsByKey[group.key] = number
        if let place = groupsByPlace[group.key.place] {
            groups[Int(place.last)].nextAtPlace = number
            groupsByPlace[group.key.place] = (place.first, number)
        } else {
            groupsByPlace[group.key.place] = (number, number)
        }
    }

    /// Whether there is a capture with a request's method, scheme, host, port and path; if not, its
    /// body does not matter.
    /// - Parameter anyOrigin: Whether it names no server, so that captures of any server answer it.
    public func hasPlace(of request: MockRequest, anyOrigin: Bool = false) -> Bool {
        asked(request, anyOrigin).contains { groupsByPlace[MockKey.place(of: $0)] != nil }
    }

    private func asked(_ request: MockRequest, _ anyOrigin: Bool) -> [MockRequest] {
        anyOrigin && !origins.isEmpty ? origins.map(request.at) : [request]
    }

    /// Chooses the capture that answers a request, and counts it as served.
    /// - Parameter anyOrigin: Whether it names no server, so that captures of any server answer it.
    public mutating func answer(to request: MockRequest, anyOrigin: Bool = false) -> MockAnswer {
        var miss = MockMiss.nothingAlike
        for asked in asked(request, anyOrigin) {
            let hashes = MockKey.headerHashes(of: asked, matching)
            let key = MockKey(asked, matching, headerHashes: hashes)
            if let number = groupsByKey[key] {
                if let place = nextCapture(of: Int(number)) { return serve(place) }
                // Another server may have a capture that is left.
                miss = .usedUp(last: captures[Int(groups[Int(number)].last)].id)
                continue
            }
            let nearest = nearest(to: key, hashes)
            if nearest.isNearer(than: miss) { miss = nearest }
        }
        unmatchedCount += 1
        return .unmatched(miss)
    }

    private mutating func serve(_ index: Int32) -> MockAnswer {
        servedCount += 1
        captures[Int(index)].wasServed = true
        return .capture(captures[Int(index)].id)
    }

    private mutating func nextCapture(of number: Int) -> Int32? {
        let group = groups[number]
        guard order != .last, let place = group.next else {
            return order == .once ? nil : group.last
        }
        let following = captures[Int(place)].next
        groups[number].next = following ?? (order == .cycle ? group.first : nil)
        return place
    }

    /// Forgets which captures were served: each request gets its first capture again.
    public mutating func startOver() {
        for number in groups.indices { groups[number].next = groups[number].first }
        for index in captures.indices { captures[index].wasServed = false }
        servedCount = 0
        unmatchedCount = 0
    }

    /// The captures that were not served since the last start, in their order.
    public var neverServed: [Int64] { captures.filter { !$0.wasServed }.map(\.id) }

    /// The capture at the same place with the fewest differences; of several, the first recorded.
    private func nearest(to key: MockKey, _ hashes: [UInt64]) -> MockMiss {
        var number = groupsByPlace[key.place]?.first
        var nearest: (differences: [String], id: Int64)?
        var comparedCount = 0
        while let current = number, comparedCount < MockTable.comparedCountMax {
            comparedCount += 1
            let differences = differences(Int(current), key, hashes)
            let group = groups[Int(current)]
            if differences.count < nearest?.differences.count ?? .max {
                nearest = (differences, captures[Int(group.first)].id)
            }
            number = group.nextAtPlace
        }
        return nearest.map { .differs($0.differences, nearest: $0.id) } ?? .nothingAlike
    }

    private func differences(_ number: Int, _ key: MockKey, _ hashes: [UInt64]) -> [String] {
        let group = groups[number].key
        var differences: [String] = []
        if group.query != key.query { differences.append("query") }
        if group.body != key.body { differences.append("body") }
        for (index, name) in matching.headers.enumerated()
        where headerHashes[number * matching.headers.count + index] != hashes[index] {
            differences.append("header:\(name)")
        }
        return differences
    }
}

/// A request that captures should answer.
public struct MockCall: Sendable {
    public let mock: RuleMock
    public let position: MockPosition
    /// The request, with an empty body if that has not arrived.
    public let request: MockRequest
    public let isBodyComing: Bool
    /// Whether it asks for a switch of protocols, or is an extended CONNECT.
    public let isUpgrade: Bool

    init(
        _ mock: RuleMock, at position: MockPosition, _ message: ForwardedRequest, _ body: RuledBody
    ) {
        self.mock = mock
        self.position = position
        let head = message.head
        isBodyComing = body.isComing
        isUpgrade = head.isExtendedConnect || !head.forwardedUpgradeProtocols.isEmpty
        request = MockRequest(
            method: head.method, url: message.url, fields: head.fields,
            body: isBodyComing
                ? [] : body.bytes.map { MockRequest.content(of: $0, head.fields) })
    }
}

/// The position of a `mock` action in a set of rules.
public struct MockPosition: Sendable, Hashable {
    /// The rule's position in the set.
    public let rule: Int
    /// The index among the rule's actions on requests, from 0.
    public let action: Int

    public init(rule: Int, action: Int) {
        self.rule = rule
        self.action = action
    }
}

/// A mock of a rule, with its position.
public struct PositionedMock: Sendable {
    public let position: MockPosition
    public let rule: String
    public let mock: RuleMock

    /// Returns the mocks of a rule at a position of its set; empty if the rule is disabled.
    static func all(of rule: Rule, at position: Int) -> [PositionedMock] {
        guard rule.isEnabled else { return [] }
        return rule.actions(in: .request).enumerated().compactMap { number, action in
            guard case .mock(let mock) = action.verb else { return nil }
            let position = MockPosition(rule: position, action: number)
            return PositionedMock(position: position, rule: rule.name, mock: mock)
        }
    }
}

/// The result of looking for a capture that answers a request.
public enum MockAnswer: Sendable, Hashable {
    /// The capture with this number answers.
    case capture(Int64)
    /// No capture answers, for this reason; the rule's `unmatched` decides what the client gets.
    case unmatched(MockMiss)
}

/// Which of several captures of one request is served; the raw values are used in rules files.
public enum MockOrder: String, Sendable, Hashable, CaseIterable {
    /// Each once in the order in which they were recorded, then the last one forever.
    case thenLast = "then-last"
    /// Each once in the order in which they were recorded, then from the first one again.
    case cycle
    /// Each once; after that, the request is unmatched.
    case once
    /// Always the most recent one.
    case last
}

/// A server of captured exchanges.
struct MockOrigin: Sendable, Hashable {
    let scheme: String
    /// In lower case.
    let host: String
    let port: UInt16

    init(_ url: RawURL) {
        scheme = url.scheme
        host = url.host.lowercased()
        port = url.port
    }
}

import Foundation
import ProxydParameterCoding
import Testing

@Suite struct ParameterTreeEncoderTests {
    private func tree(_ value: some Encodable) throws -> Parameter {
        try ParameterTreeEncoder().encode(value)
    }

    @Test func `ParameterTreeEncoder keeps members in the order in which they are encoded`() throws
    {
        struct Item: Encodable {
            let zulu: String
            let alpha: Int?
            let mike: [Bool]
            let nested: Nested
        }
        struct Nested: Encodable { let b = 1, a = 2 }
        let item = Item(zulu: "z", alpha: nil, mike: [true, false], nested: Nested())
        #expect(
            try tree(item) == ["zulu": "z", "mike": [true, false], "nested": ["b": 1, "a": 2]]
        )
    }

    @Test func `ParameterTreeEncoder keeps the type and every digit of a number`() throws {
        #expect(try tree(Int8.min) == .int(-128))
        #expect(try tree([UInt64.max]) == .array([.uint(.max)]))
        #expect(try tree(["n": Float(0.1)]) == ["n": 0.1])
        #expect(try tree(Double.nan) != .null)
        #expect(try tree([Int128.max]) == .array([.decimal(Int128.max.description)]))
        #expect(try tree(["n": UInt128.max]) == ["n": .decimal(UInt128.max.description)])
        #expect(try tree([Int?.none, 1]) == [nil, 1])
        #expect(try tree(String?.none) == .null)
    }

    @Test
    func `nested Date, Data and Decimal values keep their types; URLs and UUIDs become strings`()
        throws
    {
        struct Item: Encodable {
            let date: Date
            let data: Data
            let decimal: Decimal
            let url: URL
            let uuid: UUID
        }
        let url = try #require(URL(string: "http://a/b?c=d&e"))
        let uuid = try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000000A"))
        let decimal = try #require(Decimal(string: "1.10"))
        let item = Item(
            date: Date(timeIntervalSinceReferenceDate: 123.456), data: Data([1, 2, 3]),
            decimal: decimal, url: url, uuid: uuid)
        let members: [Parameter.Member] = [
            .init("date", .date(ParameterDate(secondsSince2001: 123.456))),
            .init("data", .data([1, 2, 3])), .init("decimal", .decimal("1.1")),
            .init("url", "http://a/b?c=d&e"),
            .init("uuid", "00000000-0000-0000-0000-00000000000A"),
        ]
        #expect(try tree(item) == .object(members))
        #expect(try tree([url]) == ["http://a/b?c=d&e"])
        #expect(try tree(["u": URL?.some(url)]) == ["u": "http://a/b?c=d&e"])
        #expect(try tree(Data([9])) == .data([9]))
    }

    @Test func `ParameterTreeEncoder keeps keys that look like numbers as object keys`() throws {
        #expect(try tree(["10": "x"]) == ["10": "x"])
        #expect(try tree([2: "b", 1: "a"]) == ["1": "a", "2": "b"])
        #expect(try tree(["a": ["1": "x", "k": "y"]]) == ["a": ["1": "x", "k": "y"]])
    }

    @Test func `ParameterTreeEncoder sorts the members of a dictionary by key`() throws {
        let names = (0..<50).map { "k\($0)" }
        let dictionary = Dictionary(uniqueKeysWithValues: names.map { ($0, [$0: 1]) })
        let members = names.sorted().map { Parameter.Member($0, .object([.init($0, 1)])) }
        #expect(try tree(dictionary) == .object(members))
    }

    @Test func `ParameterTreeEncoder distinguishes sets from arrays`() throws {
        guard case .set(let elements) = try tree(Set(["a", "b"])) else {
            Issue.record("no set")
            return
        }
        #expect(Set(elements) == ["a", "b"])
        #expect(try tree(["s": Set([1])]) == ["s": .set([1])])
        #expect(try tree([Set<Int>()]) == [.set([])])
        #expect(try tree([1]) == [1])
    }

    @Test func `a value that encodes nothing becomes an empty object in the parameter tree`()
        throws
    {
        struct Nothing: Encodable {
            func encode(to encoder: any Encoder) {}
        }
        #expect(try tree(Nothing()) == [:])
        #expect(try tree([Nothing()]) == [[:]])
        #expect(try tree([Int]()) == [])
        #expect(try tree([String: Int]()) == [:])
    }

    @Test func `ParameterTreeEncoder supports nested containers that are filled in any order`()
        throws
    {
        struct Item: Encodable {
            func encode(to encoder: any Encoder) throws {
                var root = encoder.container(keyedBy: ParameterVectorTree.Key.self)
                var list = root.nestedUnkeyedContainer(forKey: .init(stringValue: "list"))
                var map = root.nestedContainer(
                    keyedBy: ParameterVectorTree.Key.self, forKey: .init(stringValue: "map"))
                try list.encode(1)
                try map.encode("v", forKey: .init(stringValue: "k"))
                var inner = list.nestedUnkeyedContainer()
                var innerMap = list.nestedContainer(keyedBy: ParameterVectorTree.Key.self)
                #expect(list.count == 3)
                try inner.encodeNil()
                try innerMap.encode(true, forKey: .init(stringValue: "x"))
                try list.encode("end")
            }
        }
        #expect(try tree(Item()) == ["list": [1, [nil], ["x": true], "end"], "map": ["k": "v"]])
    }

    @Test
    func `a superclass is encoded under its key, and encoding a key again replaces its value`()
        throws
    {
        class Base: Encodable {
            let one = 1
            enum CodingKeys: CodingKey { case one }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(one, forKey: .one)
            }
        }
        final class Derived: Base {
            enum CodingKeys: CodingKey { case two, base }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode([2], forKey: .base)
                try container.encode(3, forKey: .two)
                try super.encode(to: container.superEncoder(forKey: .base))
                try super.encode(to: container.superEncoder())
                try super.encode(to: encoder)
            }
        }
        #expect(
            try tree(Derived()) == ["base": ["one": 1], "two": 3, "super": ["one": 1], "one": 1]
        )
    }

    @Test func `ParameterTreeEncoder passes its user info and the coding path to values`() throws {
        struct Item: Encodable {
            static let key = CodingUserInfoKey(rawValue: "key")
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                let info = Item.key.flatMap { encoder.userInfo[$0] as? String } ?? "none"
                let path = encoder.codingPath.map(\.stringValue).joined(separator: ".")
                try container.encode("\(info) at \(path)")
            }
        }
        let key = try #require(Item.key)
        let encoder = ParameterTreeEncoder(userInfo: [key: "told"])
        #expect(
            try encoder.encode(["a": [Item(), Item()]]) == ["a": ["told at a.0", "told at a.1"]])
    }

    @Test func `a key that is encoded twice keeps its first position and its last value`() throws {
        struct Many: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: ParameterVectorTree.Key.self)
                for round in 0...1 {
                    for index in 0..<1_000 {
                        try container.encode(index + round, forKey: .init(intValue: index))
                    }
                }
            }
        }
        let members = (0..<1_000).map { Parameter.Member("\($0)", .int($0 + 1)) }
        #expect(try tree(Many()) == .object(members))
    }

    @Test func `ParameterTreeEncoder throws an error for a value that contains itself endlessly`() {
        struct Endless: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(Endless())
            }
        }
        let depthMax = ParameterTreeEncoder.depthMax
        #expect(throws: ParameterEncodingError.nestedTooDeeply(depthMax: depthMax)) {
            try tree(Endless())
        }
    }

    @Test
    func `ParameterTreeEncoder throws an error for endlessly nested single-value containers`() {
        struct Endless: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(Endless())
            }
        }
        let depthMax = ParameterTreeEncoder.depthMax
        #expect(throws: ParameterEncodingError.nestedTooDeeply(depthMax: depthMax)) {
            try tree(Endless())
        }
    }

    @Test func `ParameterTreeEncoder limits the depth of manually nested containers`() {
        struct Deep: Encodable {
            let levelCount: Int
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                for _ in 0..<levelCount { container = container.nestedUnkeyedContainer() }
                // Otherwise the time would be quadratic in the number of levels.
                #expect(container.codingPath.count <= ParameterTreeEncoder.depthMax + 1)
                try container.encode(1)
            }
        }
        let depthMax = ParameterTreeEncoder.depthMax
        #expect(throws: Never.self) { try tree(Deep(levelCount: depthMax)) }
        for levelCount in [depthMax + 2, 100_000] {
            #expect(throws: ParameterEncodingError.nestedTooDeeply(depthMax: depthMax)) {
                try tree(Deep(levelCount: levelCount))
            }
        }
    }

    @Test func `canonically equivalent keys with different bytes are encoded as two members`()
        throws
    {
        struct Item: Encodable {
            let count: Int
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: ParameterVectorTree.Key.self)
                for index in 0..<count { try container.encode(0, forKey: .init(intValue: index)) }
                try container.encode(1, forKey: .init(stringValue: "é"))
                try container.encode(2, forKey: .init(stringValue: "e\u{301}"))
            }
        }
        for count in [0, 100] {
            guard case .object(let members) = try tree(Item(count: count)) else {
                Issue.record("no object")
                continue
            }
            #expect(members.count == count + 2)
            #expect(members.suffix(2).map { Array($0.name.utf8).count } == [2, 3])
        }
    }

    @Test func `dictionaries whose keys are not strings are encoded as arrays sorted by key`()
        throws
    {
        enum Key: String, Codable { case apple, banana, cherry, date, elder }
        let all: [Key: Int] = [.elder: 5, .apple: 1, .date: 4, .cherry: 3, .banana: 2]
        #expect(
            try tree(all)
                == ["apple", 1, "banana", 2, "cherry", 3, "date", 4, "elder", 5])
        #expect(try tree([[true: 1, false: 0]]) == [[false, 0, true, 1]])
    }

    @Test func `ParameterTreeEncoder rethrows the error that a value throws`() {
        struct Failing: Encodable {
            struct OwnError: Error {}
            func encode(to encoder: any Encoder) throws { throw OwnError() }
        }
        #expect(throws: Failing.OwnError.self) { try tree([Failing()]) }
    }
}

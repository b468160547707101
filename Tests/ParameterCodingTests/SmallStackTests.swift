import Foundation
import ProxydParameterCoding
import ProxydPropertyLists
import Testing

/// Threads that are not the main one may have as little as 512 KiB of stack.
@Suite struct SmallStackTests {
    /// Gives what a closure gives on a thread with 512 KiB of stack.
    private func onSmallStack<Value: Sendable>(
        _ make: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result(catching: make)) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    private static let wraps: [@Sendable (Parameter) -> Parameter] = [
        { .array([$0]) }, { .set([$0, 2]) }, { .object([Parameter.Member("k", $0)]) },
    ]

    private static func nested(
        _ depth: Int, _ wrap: @Sendable (Parameter) -> Parameter
    ) -> Parameter {
        (0..<depth).reduce(Parameter.int(1)) { inside, _ in wrap(inside) }
    }

    private static func jsonText(_ depth: Int) -> [UInt8] {
        Array(
            (String(repeating: "{\"a\":[", count: depth / 2)
                + String(repeating: "]}", count: depth / 2)).utf8)
    }

    @Test(arguments: [
        URLEncoding.ArrayEncoding.brackets, .indexInBrackets, .json, .custom { "\($0).\($1)" },
    ])
    func `the deepest allowed form is encoded on a thread with a stack of 512 KiB`(
        arrays: URLEncoding.ArrayEncoding
    ) async throws {
        let encoding = URLEncoding.default.changed { $0.arrays = arrays }
        for wrap in Self.wraps {
            let bytes = try await onSmallStack {
                try encoding.bytes(["k": Self.nested(URLEncoding.depthMax - 1, wrap)])
            }
            #expect(!bytes.isEmpty)
        }
    }

    @Test func `the deepest allowed JSON is written, read and edited on a 512 KiB thread stack`()
        async throws
    {
        for wrap in Self.wraps {
            let bytes = try await onSmallStack {
                try JSONWriter(keyOrder: .sorted, depthMax: 1_024).write(Self.nested(1_024, wrap))
            }
            #expect(bytes.count > 2_048)
        }
        let isSame = try await onSmallStack {
            let text = Self.jsonText(1_024)
            let value = try JSONReader(limits: JSONLimits(depthMax: 1_024)).read(text)
            let path = JSONValuePath((0..<1_024).map { $0 % 2 == 0 ? .member("a") : .element(0) })
            let changed = try value.setting(.null, at: path).removing(at: path)
            let writer = JSONWriter(depthMax: 1_024)
            let asParameter = try writer.write(Parameter(value))
            return try writer.write(changed) == text && asParameter == text
        }
        #expect(isSame)
    }

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func `the deepest allowed property lists are written and read on a 512 KiB thread stack`(
        format: PropertyListFormat
    ) async throws {
        for wrap in [Self.wraps[0], Self.wraps[2]] {
            let isSame = try await onSmallStack {
                let writer = PropertyListWriter(format: format)
                let list = try writer.write(Self.nested(512, wrap))
                return try writer.write(PropertyListReader().read(list)) == list
            }
            #expect(isSame)
        }
    }

    @Test
    func `the deepest allowed query names and Encodable values fit a 512 KiB thread stack`()
        async throws
    {
        let view = try await onSmallStack {
            let name = "a" + String(repeating: "[b]", count: 511)
            return try ParameterTree.view(
                of: QueryDecoder().decode(Array(name.utf8)),
                limits: ParameterTreeLimits(depthMax: 512)
            ).guesses.count
        }
        #expect(view == 511)
        struct Nested: Encodable {
            let depth: Int
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                let inside = Nested(depth: depth - 1)
                if depth > 0 {
                    try container.encode(["k": inside])
                } else {
                    try container.encode(1)
                }
            }
        }
        let bytes = try await onSmallStack {
            // Each level is a dictionary, and a value that encodes as one.
            try JSONWriter().write(
                ParameterTreeEncoder().encode(
                    Nested(depth: ParameterTreeEncoder.depthMax / 2 - 1)))
        }
        #expect(bytes.count > 6 * 62)
    }
}

import Foundation
import ProxydParameterCoding
import ProxydPropertyLists
import ProxydTestSupport
import Testing

/// What Foundation's reader and writer of property lists say of ours.
struct PropertyListPeerTests {
    /// A value as Foundation holds it; nil for values that it has no type for.
    private func object(_ value: Parameter) -> Any? {
        switch value {
        case .bool(let value): value
        case .int(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .date(let date): Date(timeIntervalSinceReferenceDate: date.secondsSince2001)
        case .data(let bytes): Data(bytes)
        case .string(let text): text
        case .array(let elements):
            elements.compactMap(object).count == elements.count ? elements.compactMap(object) : nil
        case .object(let members): dictionary(members)
        default: nil
        }
    }

    /// Nil where two names are equivalent, which only one list can tell apart.
    private func dictionary(_ members: [Parameter.Member]) -> Any? {
        var found: [String: Any] = [:]
        for member in members {
            guard let value = object(member.value), found[member.name] == nil else { return nil }
            found[member.name] = value
        }
        return found
    }

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func `Foundation reads the property lists that the writer writes`(format: PropertyListFormat)
        throws
    {
        var random = SplitMix(seed: 61)
        var count = 0
        for round in 0..<400 {
            let value = random.propertyList(depth: 3)
            guard let expected = object(value) as? NSObject else { continue }
            count += 1
            let bytes = try PropertyListWriter(format: format).write(value)
            let read = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
            #expect(expected.isEqual(read), "round \(round): \(value)")
        }
        #expect(count > 100)
    }

    @Test(arguments: [
        (PropertyListSerialization.PropertyListFormat.xml, PropertyListFormat.xml),
        (.binary, .binary),
    ])
    func `property lists written by Foundation are read`(
        theirs: PropertyListSerialization.PropertyListFormat, ours: PropertyListFormat
    ) throws {
        var random = SplitMix(seed: 62)
        var count = 0
        for round in 0..<400 {
            let value = random.propertyList(depth: 3)
            guard let object = object(value) as? NSObject else { continue }
            count += 1
            let data = try PropertyListSerialization.data(
                fromPropertyList: object, format: theirs, options: 0)
            #expect(PropertyListReader.format([UInt8](data)) == ours)
            let read = try PropertyListReader().read([UInt8](data))
            #expect(object.isEqual(self.object(read)), "round \(round): \(value)")
        }
        #expect(count > 100)
    }

    @Test func `the property list reader enforces its limits of size, values and depth`() throws {
        let list: Parameter = ["a": [1, 2, 3], "b": "text"]
        let bytes = try PropertyListWriter(format: .xml).write(list)
        func kind(_ limits: PropertyListLimits) -> PropertyListError.Kind? {
            do throws(PropertyListError) {
                _ = try PropertyListReader(limits: limits).read(bytes)
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(kind(PropertyListLimits()) == nil)
        #expect(kind(PropertyListLimits(byteCountMax: bytes.count - 1)) == .tooLarge)
        #expect(kind(PropertyListLimits(valueCountMax: 3)) == .tooLarge)
        #expect(kind(PropertyListLimits(depthMax: 1)) == .tooDeep)
    }

    @Test func `a property list error has an offset and a cause, but no content of the list`()
        throws
    {
        let secret = Array("<plist><dict><key>s3cr3t</key></dict></plist>".utf8)
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListReader().read(secret)
        }
        let text = try #require(error?.description)
        #expect(text.hasPrefix("offset "))
        #expect(text.hasSuffix(": not a name, or a name without a value"))
        #expect(!text.contains("s3cr3t"))
    }
}

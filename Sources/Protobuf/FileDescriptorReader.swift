/// Parses a file descriptor. Unneeded fields are skipped.
struct FileDescriptorReader {
    private static let depthMax = 32

    private let bytes: [UInt8]
    private var budget = ReadingBudget(
        ProtobufLimits(stepCountMax: FileDescriptor.byteCountMax / 4))
    private var file = FileDescriptor()
    private var syntax = ""
    /// The default field presence in files that use an edition.
    private var presence = Presence.explicit

    /// `google.protobuf.FeatureSet.FieldPresence`.
    private enum Presence: UInt64 {
        case explicit = 1
        case implicit = 2
        case legacyRequired = 3
    }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func read() throws(ProtobufError) -> FileDescriptor {
        let fields = try fields(bytes.indices)
        file.name = text(fields, 1)
        file.package = text(fields, 2)
        guard !file.name.isEmpty else { throw ProtobufError(.incomplete, at: 0) }
        syntax = text(fields, 12)
        if let found = try presence(inOptions: fields, features: 50) { presence = found }
        file.dependencies = all(fields, 3).map(text)
        for part in all(fields, 4) { try addMessage(part, in: file.package, depth: 0) }
        for part in all(fields, 5) { try addEnum(part, in: file.package) }
        for part in all(fields, 6) { try addService(part) }
        for part in all(fields, 7) { try addExtension(part, in: file.package) }
        return file
    }

    // MARK: Messages

    private mutating func addMessage(
        _ range: Range<Int>, in scope: String, depth: Int
    ) throws(ProtobufError) {
        guard depth < FileDescriptorReader.depthMax else {
            throw ProtobufError(.tooDeep, at: range.lowerBound)
        }
        let fields = try fields(range)
        var message = MessageDescriptor()
        message.fullName = try fullName(fields, in: scope, at: range)
        for options in all(fields, 7) {
            message.isMapEntry = number(try self.fields(options), 7) == 1
        }
        for part in all(fields, 2) {
            let field = try field(part)
            message.fields[field.number] = field
        }
        file.messages.append(message)
        for part in all(fields, 3) { try addMessage(part, in: message.fullName, depth: depth &+ 1) }
        for part in all(fields, 4) { try addEnum(part, in: message.fullName) }
        for part in all(fields, 6) { try addExtension(part, in: message.fullName) }
    }

    private mutating func field(_ range: Range<Int>) throws(ProtobufError) -> FieldDescriptor {
        let fields = try fields(range)
        var field = FieldDescriptor()
        field.name = text(fields, 1)
        let tag = number(fields, 3) ?? 0
        guard !field.name.isEmpty, tag >= 1, tag <= WireHead.numberMax,
            let kind = FieldDescriptor.Kind(rawValue: number(fields, 5) ?? 0)
        else { throw ProtobufError(.incomplete, at: range.lowerBound) }
        field.number = Int32(truncatingIfNeeded: tag)
        field.kind = kind
        field.isRepeated = number(fields, 4) == 3
        field.typeName = resolved(text(fields, 6))
        let jsonName = text(fields, 10)
        field.jsonName = jsonName.isEmpty ? JSONName.lowerCamelCase(field.name) : jsonName
        field.oneof = number(fields, 9).flatMap { Int32(exactly: $0) }
        let presence = try presence(of: fields)
        field.hasPresence = field.oneof != nil || field.isMessage || presence != .implicit
        return field
    }

    /// Files with `proto2` syntax may omit it.
    private mutating func presence(of fields: [WireField]) throws(ProtobufError) -> Presence {
        switch syntax {
        case "proto3": return .implicit
        case "editions":
            let own = try presence(inOptions: fields, features: 21)
            return own ?? presence
        default: return .explicit
        }
    }

    private mutating func presence(
        inOptions fields: [WireField], features number: Int32
    ) throws(ProtobufError) -> Presence? {
        var found: Presence?
        for options in all(fields, 8) {
            for features in all(try self.fields(options), number) {
                let value = self.number(try self.fields(features), 1)
                found = value.flatMap(Presence.init) ?? found
            }
        }
        return found
    }

    private mutating func addExtension(
        _ range: Range<Int>, in scope: String
    ) throws(ProtobufError) {
        var field = try field(range)
        field.extendee = resolved(text(try fields(range), 2))
        field.name = scope.isEmpty ? field.name : "\(scope).\(field.name)"
        field.jsonName = "[\(field.name)]"
        file.extensions.append(field)
    }

    // MARK: Enums and services

    private mutating func addEnum(_ range: Range<Int>, in scope: String) throws(ProtobufError) {
        let fields = try fields(range)
        var described = EnumDescriptor()
        described.fullName = try fullName(fields, in: scope, at: range)
        for part in all(fields, 2) {
            let value = try self.fields(part)
            let number = Int32(truncatingIfNeeded: self.number(value, 2) ?? 0)
            if described.names[number] == nil { described.names[number] = text(value, 1) }
            if described.first == nil { described.first = number }
        }
        file.enums.append(described)
    }

    private mutating func addService(_ range: Range<Int>) throws(ProtobufError) {
        let fields = try fields(range)
        var service = ServiceDescriptor()
        service.fullName = try fullName(fields, in: file.package, at: range)
        for part in all(fields, 2) {
            let parts = try self.fields(part)
            var method = MethodDescriptor()
            method.name = text(parts, 1)
            method.inputType = resolved(text(parts, 2))
            method.outputType = resolved(text(parts, 3))
            method.isClientStreaming = number(parts, 5) == 1
            method.isServerStreaming = number(parts, 6) == 1
            service.methods.append(method)
        }
        file.services.append(service)
    }

    // MARK: Names

    private func fullName(
        _ fields: [WireField], in scope: String, at range: Range<Int>
    ) throws(ProtobufError) -> String {
        let name = text(fields, 1)
        guard !name.isEmpty else { throw ProtobufError(.incomplete, at: range.lowerBound) }
        return scope.isEmpty ? name : "\(scope).\(name)"
    }

    /// A name with a leading dot is fully qualified, as `protoc` writes all of them; others are
    /// treated as fully qualified too.
    private func resolved(_ name: String) -> String {
        name.hasPrefix(".") ? String(name.dropFirst()) : name
    }

    // MARK: Fields

    private mutating func fields(_ range: Range<Int>) throws(ProtobufError) -> [WireField] {
        var reader = WireReader(bytes, range)
        var fields: [WireField] = []
        while let field = try reader.next(&budget) { fields.append(field) }
        return fields
    }

    private func all(_ fields: [WireField], _ number: Int32) -> [Range<Int>] {
        fields.compactMap { field in
            guard field.number == number, case .bytes(let content) = field.value else { return nil }
            return content
        }
    }

    private func text(_ fields: [WireField], _ number: Int32) -> String {
        all(fields, number).last.map(text) ?? ""
    }

    private func text(_ content: Range<Int>) -> String {
        String(decoding: bytes[content], as: UTF8.self)
    }

    private func number(_ fields: [WireField], _ number: Int32) -> UInt64? {
        for field in fields.reversed() where field.number == number {
            if case .varint(let value) = field.value { return value }
        }
        return nil
    }
}

/// A set of file descriptors, as `protoc --descriptor_set_out` writes it.
public enum FileDescriptorSet {
    /// The bytes of each `FileDescriptorProto` in a `FileDescriptorSet`, in order. Throws for
    /// invalid bytes and for an empty set: `protoc` writes at least one file.
    public static func files(of bytes: [UInt8]) throws(ProtobufError) -> [[UInt8]] {
        var budget = ReadingBudget(ProtobufLimits())
        var reader = WireReader(bytes)
        var files: [[UInt8]] = []
        while let field = try reader.next(&budget) {
            guard field.number == 1, case .bytes(let content) = field.value else { continue }
            files.append(Array(bytes[content]))
        }
        if files.isEmpty { throw ProtobufError(.truncated, at: bytes.count) }
        return files
    }
}

/// An answer of gRPC server reflection: `grpc.reflection.v1.ServerReflectionResponse`, and the
/// `v1alpha` version, which has the same fields.
public enum ReflectionAnswer {
    /// The path endings of the reflection methods.
    private static let pathEnds = ["v1", "v1alpha"].map {
        Array("/grpc.reflection.\($0).ServerReflection/ServerReflectionInfo".utf8)
    }

    /// Whether a path denotes a reflection method.
    public static func isGiven(atPath path: ArraySlice<UInt8>) -> Bool {
        pathEnds.contains { path.count >= $0.count && path.suffix($0.count).elementsEqual($0) }
    }

    /// The file descriptors in an answer; empty for an answer to another query.
    public static func files(in bytes: [UInt8]) throws(ProtobufError) -> [[UInt8]] {
        var budget = ReadingBudget(ProtobufLimits())
        var files: [[UInt8]] = []
        var answer = WireReader(bytes)
        while let field = try answer.next(&budget) {
            guard field.number == 4, case .bytes(let content) = field.value else { continue }
            var response = WireReader(bytes, content)
            while let file = try response.next(&budget) {
                guard file.number == 1, case .bytes(let description) = file.value else { continue }
                files.append(Array(bytes[description]))
            }
        }
        return files
    }
}

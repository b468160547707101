/// A stored file that describes protocol buffer messages.
public struct ProtoFile: Sendable, Hashable {
    /// Where a file comes from.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        /// A user added it.
        case given
        /// It was found in an answer of gRPC server reflection.
        case reflection
    }

    /// The name by which other files import it, such as `google/rpc/status.proto`.
    public var name: String
    /// Where the file comes from.
    public var source: Source
    /// The time when the file was added, in nanoseconds since 1970.
    public var addedNs: Int64
    /// The description, an encoded `google.protobuf.FileDescriptorProto`.
    public var bytes: [UInt8]

    /// Creates a file.
    public init(name: String, source: Source, addedNs: Int64 = 0, bytes: [UInt8]) {
        self.name = name
        self.source = source
        self.addedNs = addedNs
        self.bytes = bytes
    }
}

/// Identifies the set of description files in a store: it changes when a file is added or removed.
public struct ProtoFileVersion: Sendable, Hashable {
    /// The number of files.
    public var count: Int64
    /// The highest row number.
    public var lastID: Int64
    /// The time when the latest file was added, in nanoseconds since 1970.
    public var lastAddedNs: Int64

    /// Creates a version.
    public init(count: Int64 = 0, lastID: Int64 = 0, lastAddedNs: Int64 = 0) {
        self.count = count
        self.lastID = lastID
        self.lastAddedNs = lastAddedNs
    }
}

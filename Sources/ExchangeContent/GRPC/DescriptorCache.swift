public import ProxydCaptureModel
public import ProxydHTTPModel
public import ProxydProtobuf
internal import Synchronization

/// Caches the message descriptions in a store until they change. Safe to use from any thread.
public final class DescriptorCache: Sendable {
    private struct Entry {
        let store: UInt64
        let version: ProtoFileVersion
        let registry: DescriptorRegistry
    }

    private let entry = Mutex<Entry?>(nil)

    /// Creates an empty cache.
    public init() {}

    /// The current descriptions in a store.
    public func registry(
        _ reader: any ExchangeReading
    ) throws(StoreError) -> DescriptorRegistry {
        let version = try reader.protoFileVersion()
        let store = reader.storeNumber
        if let entry = entry.withLock({ $0 }), entry.store == store, entry.version == version {
            return entry.registry
        }
        let files = try reader.protoFiles().compactMap { try? FileDescriptor(bytes: $0.bytes) }
        let registry = DescriptorRegistry(files)
        entry.withLock { $0 = Entry(store: store, version: version, registry: registry) }
        return registry
    }

    /// A reader for the messages of an exchange; nil if the exchange no longer exists or its URL
    /// could not be parsed.
    public func reading(
        of id: ExchangeID, _ reader: any ExchangeReading
    ) throws(StoreError) -> GRPCReading? {
        guard let exchange = try reader.exchange(id, bodyByteCountMax: 0),
            let call = GRPCCall(exchange)
        else { return nil }
        return GRPCReading(call, try registry(reader))
    }
}

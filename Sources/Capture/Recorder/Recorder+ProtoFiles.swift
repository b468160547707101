public import ProxydCaptureModel

/// Files that describe protocol buffer messages.
extension Recorder {
    /// Stores files, replacing those of the same names; either all or none. A file from server
    /// reflection never replaces one that a user added.
    public func addProtoFiles(
        _ files: [ProtoFile],
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        perform(
            { (thread) throws(StoreError) in
                let writer = try thread.openWriter()
                try thread.attempt { () throws(StoreError) in
                    try ProtoFileWriter.add(files, writer)
                }
            }, completion: completion)
    }

    /// Removes the file with a name; reports whether it existed.
    public func removeProtoFile(
        named name: String,
        completion: @escaping @Sendable (Result<Bool, StoreError>) -> Void
    ) {
        perform(
            { (thread) throws(StoreError) in
                let writer = try thread.openWriter()
                var isThere = false
                try thread.attempt { () throws(StoreError) in
                    isThere = try ProtoFileWriter.remove(named: name, writer)
                }
                return isThere
            }, completion: completion)
    }
}

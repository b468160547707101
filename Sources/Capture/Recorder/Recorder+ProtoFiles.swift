public import ProxydCaptureModel

/// Files that describe messages of protocol buffers.
extension Recorder {
    /// Keeps files, in place of those of the same names; all or none. What was seen in answers of
    /// reflection takes the place of nothing that was given.
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

    /// Removes the file of a name; answers whether there was one.
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

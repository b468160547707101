internal import FoundationEssentials

/// Programs that are installed together with this one.
enum SiblingProgram {
    /// The path of the program beside this one, or else of the one in the search path; nil if
    /// there is none.
    static func path(_ name: String) -> String? {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        if let beside = own.map({ "\($0.parentFolder)/\(name)" }),
            FileManager.default.isExecutableFile(atPath: beside)
        {
            return beside
        }
        return Environment.current.runner.find(name)
    }
}

public import FoundationEssentials

extension DownloadRequest {
    /// A destination in one of the user's directories, named safely as the server suggests or the
    /// URL ends. If the directory does not exist, it is the user's download folder.
    public static func suggestedDownloadDestination(
        for directory: FileManager.SearchPathDirectory,
        in domain: FileManager.SearchPathDomainMask = .userDomainMask, options: Options = []
    ) -> Destination {
        suggestedDownloadDestination(
            in: FileManager.default.urls(for: directory, in: domain).first, options: options)
    }
}

import Foundation
import PackagePlugin

/// Puts the files of a target's folder `Page` into its program. SwiftPM's own `.embedInCode` writes
/// them as arrays of numbers, over which the compiler spends 25 seconds.
@main
struct EmbedPage: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL.appending(path: "Page")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles
        ).filter { ["css", "html", "js"].contains($0.pathExtension) }.sorted { $0.path < $1.path }
        let written = context.pluginWorkDirectoryURL.appending(path: "PageFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding the page of \(target.name)",
                executable: try context.tool(named: "ProxydPageEmbedder").url,
                arguments: [written.path] + files.map(\.path), inputFiles: files,
                outputFiles: [written])
        ]
    }
}

import type { ImportedConversation, ImportItem } from "./export-line.ts";
import { createNewNames } from "./new-names.ts";
import { newCheckpoint, newSummary } from "./new-records.ts";

/**
 * Gives what an export of an older version holds the names of this one; undefined for a record that isn't genuine or whose
 * transcript isn't in the export. Conversations stand before the records of their tenant, so only the names of one
 * tenant are held at a time.
 */
export function createImportNames(): (item: ImportItem) => ImportItem | undefined {
  let tenant: string | undefined;
  let messages = new Map<string, { readonly name: string; readonly length: number }>();
  let checkpoints = new Map<string, string>();

  const renameMessage = (hash: string, length: number): string | undefined => {
    const known = messages.get(hash);
    return known?.length === length ? known.name : undefined;
  };
  const conversation = (item: ImportedConversation): ImportedConversation => {
    const names = createNewNames(item.conversation.dialect);
    if (!names) return item;
    const renamed = item.messages.map((message, index) => {
      const name = names.next(message);
      messages.set(message.hash, { name, length: index + 1 });
      return { ...message, hash: name };
    });
    return { ...item, messages: renamed };
  };

  return (item) => {
    if (item.tenant !== tenant) {
      tenant = item.tenant;
      messages = new Map();
      checkpoints = new Map();
    }
    switch (item.type) {
      case "whole-conversation":
        return conversation(item);
      case "checkpoint": {
        const record = newCheckpoint(item.record, renameMessage);
        if (record) checkpoints.set(item.record.id, record.id);
        return record && { ...item, record };
      }
      case "summary": {
        const record = newSummary(item.record, renameMessage);
        return record && { ...item, record };
      }
      case "undo": {
        const checkpoint = checkpoints.get(item.record.checkpoint);
        return checkpoint === undefined ? undefined : { ...item, record: { ...item.record, checkpoint } };
      }
      default:
        return item;
    }
  };
}

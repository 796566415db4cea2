import { GlobalWorkerOptions, getDocument } from "pdfjs-dist";
import worker from "pdfjs-dist/build/pdf.worker.min.mjs?url";

GlobalWorkerOptions.workerSrc = worker;

/** What is written in a PDF, page by page; "" of one that holds only pictures. */
export async function readPdf(data: Uint8Array): Promise<string> {
  const reading = getDocument({ data, disableFontFace: true, useSystemFonts: false });
  try {
    const document = await reading.promise;
    const pages: string[] = [];
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const text = items
        .map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : ""))
        .join("");
      if (text.trim() !== "") pages.push(text.trim());
      page.cleanup();
    }
    return pages.join("\n\n");
  } finally {
    await reading.destroy();
  }
}

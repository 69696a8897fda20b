/* Style sheet and script of the page: page.css and page.js, made into texts by the build
 * (cmake/embed.cmake). */
#ifndef ASCTUNE_PAGE_PAGE_ASSETS_H
#define ASCTUNE_PAGE_PAGE_ASSETS_H

extern const char page_style[], page_script[];

#endif
